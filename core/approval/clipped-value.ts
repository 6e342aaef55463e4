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
