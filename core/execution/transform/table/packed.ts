import { type ColumnSpan, spansOf } from './span.ts';

const WORD = /\S+/g;

/** Names without spaces, but for the one of df that has one. */
export function packedColumns(header: string): ColumnSpan[] {
  return spansOf(header, /Mounted on|\S+/g);
}

/** The values of one row, the rest of the line in the last; undefined when there are too few. */
export function splitPacked(columns: readonly ColumnSpan[], row: string): string[] | undefined {
  const words = spansOf(row, WORD);
  return splitByPlace(columns, row, words) ?? splitByCount(columns, row, words);
}

/**
 * Every word goes to the name that it stands under, so that even the first column may hold spaces (`map auto_home` on macOS).
 *
 * Undefined when a name is left without a word. Long values push others only to the right, so with a word under each name
 * all of them are under their own.
 */
function splitByPlace(
  columns: readonly ColumnSpan[],
  row: string,
  words: readonly ColumnSpan[],
): string[] | undefined {
  const cells: ColumnSpan[][] = columns.map(() => []);
  for (const word of words) {
    const cell = cells[placeUnder(columns, word)];
    if (cell === undefined) return undefined;
    cell.push(word);
  }
  if (cells.some((cell) => cell.length === 0)) return undefined;
  return cells.map((cell) => row.slice(cell[0]?.start, cell.at(-1)?.end));
}

/** The first name above the word; none for a word that was pushed into a gap. */
function placeUnder(columns: readonly ColumnSpan[], word: ColumnSpan): number {
  const last = columns.length - 1;
  if (word.start >= (columns[last]?.start ?? 0)) return last;
  return columns.findIndex((column) => word.start < column.end && column.start < word.end);
}

/** For a row that a long value has pushed to the right: no value is empty, so counting does. Only the last one may be missing. */
function splitByCount(
  columns: readonly ColumnSpan[],
  row: string,
  words: readonly ColumnSpan[],
): string[] | undefined {
  const last = columns.length - 1;
  if (words.length < last) return undefined;
  const rest = words[last] === undefined ? '' : row.slice(words[last].start).trimEnd();
  return [...words.slice(0, last).map((word) => word.text), rest];
}
