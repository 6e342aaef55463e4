/** A longer value in the middle of a command would push the rest out of sight. */
const HEAD_CHARS = 150;
const TAIL_CHARS = 50;

/** A value in a command line: whole, or its two ends and the number of characters between them. */
export type ClippedValue =
  | { readonly kind: 'whole'; readonly text: string }
  | { readonly kind: 'clipped'; readonly head: string; readonly left: number; readonly tail: string };

export function clippedValue(text: string): ClippedValue {
  const chars = [...text];
  const left = chars.length - HEAD_CHARS - TAIL_CHARS;
  if (left <= 0) return { kind: 'whole', text };
  return {
    kind: 'clipped',
    head: chars.slice(0, HEAD_CHARS).join(''),
    left,
    tail: chars.slice(-TAIL_CHARS).join(''),
  };
}

/** At most this many characters fit a line of any phone. */
const LINE_CHARS = 20;

/**
 * Whether a value of a command is shown in one line, not broken at a hyphen or a space. Characters that are shown by a name, or
 * are two cells wide, are longer than they count.
 */
export function fitsLine(text: string): boolean {
  return text.length <= LINE_CHARS && /^[ -~]*$/.test(text);
}
