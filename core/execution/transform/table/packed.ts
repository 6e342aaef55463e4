import { type ColumnSpan, spansOf } from './span.ts';

const WORD = /\S+/g;

/** Names of two words, of df, ss, netstat and lsmod; every other name is one word. */
const NAMES =
  /Mounted on|(?:Local|Peer|Foreign) Address(?::Port)?|PID\/Program name|Used by|HW (?:type|address)|\S+/g;

/** Names without spaces, but for a few that are known. */
export function packedColumns(header: string): ColumnSpan[] {
  return spansOf(header, NAMES);
}

/**
 * The values of one row, the rest of the line in the last; undefined where it cannot be said which value is whose.
 *
 * Columns to the right of a long value are pushed, so a place alone is not enough, and a count alone shifts values when one
 * is missing. A row is read when both agree, or when each word stands under one name alone.
 */
export function splitPacked(columns: readonly ColumnSpan[], row: string): string[] | undefined {
  const words = spansOf(row, WORD);
  return (
    splitByPlace(columns, row, words) ??
    splitByCount(columns, row, words) ??
    splitWithGaps(columns, row, words)
  );
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
  return columns.findIndex((column) => isUnder(column, word));
}

function isUnder(column: ColumnSpan, word: ColumnSpan): boolean {
  return word.start < column.end && column.start < word.end;
}

/**
 * For a row that a long value has pushed to the right: no value is missing, so counting does.
 *
 * Each word must still stand under the name of the same number, or to the right of it by no more than the words before
 * reach beyond their own names.
 */
function splitByCount(
  columns: readonly ColumnSpan[],
  row: string,
  words: readonly ColumnSpan[],
): string[] | undefined {
  const last = columns.length - 1;
  const rest = words[last];
  if (rest === undefined) return undefined;
  let pushed = 0;
  for (const [place, column] of columns.entries()) {
    const word = words[place] ?? rest;
    if (!isUnder({ ...column, end: column.end + pushed }, word)) return undefined;
    pushed = Math.max(pushed, word.end - column.end);
  }
  return [...words.slice(0, last).map((word) => word.text), row.slice(rest.start).trimEnd()];
}

/** For a row with missing values: each word stands under one name and no other, and the names without one have an empty value. */
function splitWithGaps(
  columns: readonly ColumnSpan[],
  row: string,
  words: readonly ColumnSpan[],
): string[] | undefined {
  const last = columns.length - 1;
  const cells: ColumnSpan[][] = columns.map(() => []);
  for (const word of words) {
    const under = columns.flatMap((column, place) => (isUnder(column, word) ? [place] : []));
    const place = word.start >= (columns[last]?.start ?? 0) ? last : under[0];
    if (place === undefined || (place !== last && under.length > 1)) return undefined;
    cells[place]?.push(word);
  }
  const missing = cells.filter((cell) => cell.length === 0).length;
  if (!isLaidOut(columns) && missing > (cells[last]?.length === 0 ? 1 : 0)) return undefined;
  return cells.map((cell) => (cell.length === 0 ? '' : row.slice(cell[0]?.start, cell.at(-1)?.end)));
}

/** Whether names stand apart. Of names with one space between, only the last may be without a value. */
function isLaidOut(columns: readonly ColumnSpan[]): boolean {
  return columns.some(({ start }, place) => place > 0 && start - (columns[place - 1]?.end ?? 0) > 1);
}
