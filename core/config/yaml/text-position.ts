/** A place in a text, both counted from 1; columns in UTF-16 code units, as editors count them. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Makes the look-up from an offset in `text` to its line and column; offsets outside the text are taken to its nearest end. */
export function textPositions(text: string): (offset: number) => TextPosition {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return (offset) => {
    const inside = Math.min(Math.max(offset, 0), text.length);
    const line = countUpTo(lineStarts, inside);
    return { line, column: inside - (lineStarts[line - 1] ?? 0) + 1 };
  };
}

/** How many of the ascending numbers are not above the limit. */
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
