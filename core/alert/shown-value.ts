/** What cannot be seen, or changes the order in which the rest is read: controls, formats, separators, lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]/u;
/** Where programs for mail and chat see the parts of an address. */
const LINKABLE = /(?<=[.:/@])(?=\S)/gu;
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * A value as one line in which everything shows; what is cut says so.
 *
 * @param mostChars of what is shown, as `escaping` leaves it
 */
export function shownValue(
  value: string,
  mostChars: number,
  escaping: (text: string) => string = (text) => text,
): string {
  let shown = '';
  let read = 0;
  for (const character of value) {
    const next = escaping(character.replace(UNSEEN, named));
    if (shown.length + next.length > mostChars) return `${shown} … (${value.length - read} more characters)`;
    shown += next;
    read += character.length;
  }
  return shown;
}

/** A text of which no program for mail makes a link, though it may look like an address (decision 35). */
export function unlinked(text: string): string {
  return text.replaceAll(LINKABLE, ZERO_WIDTH_SPACE);
}

function named(character: string): string {
  if (character === '\n') return '⏎';
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}
