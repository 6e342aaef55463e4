import { type ColumnSpan, spansOf } from './span.ts';

/** Names that stand two or more spaces apart and may hold single ones: `CONTAINER ID   IMAGE`. */
export function alignedColumns(header: string): ColumnSpan[] {
  return spansOf(header, /\S+(?: \S+)*/g);
}

/**
 * Whether every cell of every row starts exactly where the name of its column does.
 *
 * A value with two spaces inside, under a name with one, shows that the name is really two: `Used Avail` of df.
 */
export function isAligned(columns: readonly ColumnSpan[], rows: readonly string[]): boolean {
  if (columns.length < 2 || columns[0]?.start !== 0) return false;
  if (columns.some((column) => isSeveral(column, rows))) return false;
  return rows.every((row) => columns.every((column, place) => startsWithin(row, column, columns[place + 1])));
}

/** Whether a name is really several, `PCPU WHAT` of w: in every row a value starts below each of its words. */
function isSeveral({ text, start }: ColumnSpan, rows: readonly string[]): boolean {
  const starts = spansOf(text, /(?<= )\S+/g).map((word) => start + word.start);
  return (
    rows.length > 0 &&
    starts.some((at) => rows.every((row) => row[at - 1] === ' ' && /\S/.test(row[at] ?? '')))
  );
}

function startsWithin(row: string, column: ColumnSpan, next: ColumnSpan | undefined): boolean {
  const before = row[column.start - 1] ?? ' ';
  const cell = row.slice(column.start, next?.start);
  if (before !== ' ' || (cell.startsWith(' ') && cell.trim() !== '')) return false;
  return !(column.text.includes(' ') && cell.trim().includes('  '));
}

export function sliceAligned(columns: readonly ColumnSpan[], row: string): string[] {
  return columns.map((column, place) => row.slice(column.start, columns[place + 1]?.start).trim());
}
