import type { FindValue } from './find-value.ts';
import { type HiddenCode, hiddenCode } from './rules/hidden-code.ts';
import { readScript, type ScriptReading } from './shell/read-script.ts';
import type { Span } from './shell/script.ts';

/** A script with all that it runs by `eval` and `trap` written out before it. */
export interface Unfolded {
  readonly text: string;
  readonly reading: ScriptReading;
  /** Where a place of it stands in the script as it was written. */
  readonly origin: (place: Span) => Span;
}

/** Undefined when nothing is hidden in it, or as a place when there is too much to be looked at. */
export function unfold(text: string, findValue: FindValue, mostChars: number): Unfolded | Span | undefined {
  const found: HiddenCode[] = [];
  const known = new Set<string>();
  for (;;) {
    const before = found.map((hidden) => `${hidden.text}\n`).join('');
    const whole = before + text;
    const origin = (place: Span) => originOf(place, found, before.length);
    if (whole.length > mostChars) return found.at(-1);
    const reading = readScript(whole, findValue);
    const fresh = hiddenCode(reading.script, whole).filter((hidden) => !known.has(hidden.text));
    if (fresh.length === 0) return found.length === 0 ? undefined : { text: whole, reading, origin };
    for (const hidden of fresh) {
      if (known.has(hidden.text)) continue;
      known.add(hidden.text);
      found.push({ ...hidden, ...origin(hidden) });
    }
  }
}

function originOf({ start, end }: Span, found: readonly HiddenCode[], shift: number): Span {
  if (start >= shift) return { start: start - shift, end: end - shift };
  let at = 0;
  for (const hidden of found) {
    at += hidden.text.length + 1;
    if (start < at) return { start: hidden.start, end: hidden.end };
  }
  throw new Error('a place before the script is in none of what stands there');
}
