import { type OutputEvent, readEvent } from './event.ts';
import { textOf, UNREADABLE } from './raw-output.ts';

/** How a line of output ended, if not in a plain "\n". `cut`: it continues in the next event. */
export type LineEnding = 'crlf' | 'none' | 'cut';

/** `count` lines from `first` on (0 = the first line of the frame) that ended in the same way. */
export type EndingRun = readonly [first: number, count: number, ending: LineEnding];

/** Some lines of output: finished bytes of the event stream, and the line endings that those bytes do not contain. */
export interface EncodedOutput {
  /** Whole `output` events, one per line. */
  readonly sse: Uint8Array;
  readonly lines: number;
  /** The lines that did not end in a plain "\n", in order. */
  readonly endings: readonly EndingRun[];
}

const TEXT_OF = { crlf: '\r\n', none: '', cut: '' } as const satisfies Record<LineEnding, string>;

/** Rebuilds the exact output of a command from its frames in order (decision 16, the buffered answer). */
export function rebuildOutput(frames: Iterable<EncodedOutput>): string {
  let output = '';
  for (const frame of frames) output += rebuildFrame(frame);
  return output;
}

function rebuildFrame(frame: EncodedOutput): string {
  const lines = readLines(frame.sse);
  let output = '';
  let next = 0;
  for (const [first, count, ending] of frame.endings) {
    output += joined(lines.slice(next, first), '\n');
    output += joined(lines.slice(first, first + count), TEXT_OF[ending]);
    next = first + count;
  }
  return output + joined(lines.slice(next), '\n');
}

function joined(lines: readonly string[], ending: string): string {
  return lines.length === 0 ? '' : lines.join(ending) + ending;
}

const BETWEEN = '\n\ndata: ';

/** JSON never holds a raw line break, so the borders between the events become the commas of one array. */
function readLines(sse: Uint8Array): string[] {
  const text = new TextDecoder().decode(sse).slice('data: '.length, -'\n\n'.length);
  try {
    const events: readonly OutputEvent[] = JSON.parse(`[${text.replaceAll(BETWEEN, ',')}]`);
    return events.map(textOf);
  } catch {
    // The hub checks only the borders of what an agent sends. One wrong event must not hide the others.
    return text.split(BETWEEN).map(readLine);
  }
}

function readLine(json: string): string {
  const event = readEvent(json);
  return event?.type === 'output' ? textOf(event) : UNREADABLE;
}
