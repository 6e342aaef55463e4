/** A position in a text. Line and column count from 1; columns are in UTF-16 code units, as in editors. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/**
 * Returns a function that converts an offset in `text` to its line and column. An offset outside the text counts as the
 * nearest end.
 */
export function textPositions(text: string): (offset: number) => TextPosition {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return (offset) => {
    const inside = Math.min(Math.max(offset, 0), text.length);
    const line = countUpTo(lineStarts, inside);
    return { line, column: inside - (lineStarts[line - 1] ?? 0) + 1 };
  };
}

/** The number of ascending values that are not greater than the limit. */
function countUpTo(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
