import { arrayOf, objectWriter } from '../json-writer.ts';
import { recordsText } from '../records.ts';
import { splitLines } from '../split-lines.ts';
import type { Shape } from '../transform.ts';
import { Unreadable } from '../unreadable.ts';
import { packedColumns, splitPacked } from './packed.ts';
import { type ColumnSpan, spansOf } from './span.ts';

/**
 * The aligned columns of `df`, `ps`, `docker ps` and `kubectl get`: an object per row, named by the header, all values strings.
 *
 * Two families of tools print such tables. Those that lay out text (docker, podman, kubectl, helm) start every cell where its
 * name starts and set columns two or more spaces apart, so names and values may hold single spaces and cells may be empty.
 * Those that fill fields (df, ps) also align to the right and let a long value push the rest of its row; there only the last
 * column may hold spaces. Which one it is, is decided by whether all rows fit the first. After a blank line comes the header
 * of another table (`kubectl get all`).
 *
 * A text whose shape is in doubt is an error. `columns`, `header: false` and `delimiter` read it without looking at places:
 * values stand between white space, or between delimiters, and the last of `columns` takes the rest of the line.
 */
export function parseTable(text: string, shape: Shape = {}): string {
  const lines = splitLines(text);
  const { columns, header, delimiter } = shape;
  if (columns === undefined && header !== false && delimiter === undefined)
    return arrayOf(tablesOf(lines.map(expanded)).flatMap(objectsOf));
  const rows = lines.filter((line) => line.trim() !== '');
  return recordsText(
    rows.map((row, index) => cellsOf(row, index === 0 && header === true ? {} : shape)),
    shape,
  );
}

function cellsOf(row: string, { columns, delimiter }: Shape): string[] {
  if (delimiter !== undefined && delimiter !== ' ') return row.split(delimiter).map((cell) => cell.trim());
  const words = [...row.matchAll(/\S+/g)];
  const rest = columns === undefined ? undefined : words[columns.length - 1];
  if (columns === undefined || rest === undefined) return words.map(([word]) => word);
  return [...words.slice(0, columns.length - 1).map(([word]) => word), row.slice(rest.index).trimEnd()];
}

/** A line of dashes below the names, as pip and psql print it. */
const UNDERLINE = /^(?=.*[-=]{2})[-=+| ]+$/;

interface Table {
  /** Line number of the last line before the rows. */
  readonly line: number;
  readonly isFirst: boolean;
  readonly header: string;
  readonly rows: readonly string[];
}

function* tablesOf(lines: readonly string[]): Generator<Table> {
  let start = 0;
  let first: string | undefined;
  for (let at = 0; at <= lines.length; at += 1) {
    if (at < lines.length && lines[at]?.trim() !== '') continue;
    const [header, ...below] = lines.slice(start, at);
    const rows = UNDERLINE.test(below[0] ?? '') ? below.slice(1) : below;
    if (header !== undefined)
      yield { line: at - rows.length, isFirst: first === undefined || first === header, header, rows };
    first ??= header;
    start = at + 1;
  }
}

function* objectsOf({ line, isFirst, header, rows }: Table): Generator<string> {
  const problem = headerProblem(header, rows, isFirst);
  if (problem !== undefined) throw new Unreadable(`line ${line}: ${problem}`);
  const aligned = alignedColumns(header);
  const fits = isAligned(aligned, rows);
  const columns = fits ? aligned : labelled(packedColumns(header), rows);
  const write = objectWriter(columns.map((column) => column.text));
  for (const [index, row] of rows.entries()) {
    const values = fits ? sliceAligned(columns, row) : splitPacked(columns, row);
    if (values === undefined) throw new Unreadable(doubt(line + 1 + index, row, columns));
    yield write(values);
  }
}

/** With a column that has the empty name, where every row begins with a word in front of the first name: `free`. */
function labelled(columns: readonly ColumnSpan[], rows: readonly string[]): readonly ColumnSpan[] {
  const start = columns[0]?.start ?? 0;
  const ends = rows.map((row) => /^\S+/.exec(row)?.[0].length ?? start);
  const end = Math.max(...ends);
  return rows.length > 0 && end < start ? [{ text: '', start: 0, end }, ...columns] : columns;
}

/** Spaces for tabs, as a terminal shows them: places count only then. */
function expanded(line: string): string {
  let text = '';
  for (const [index, part] of line.split('\t').entries())
    text += index === 0 ? part : ' '.repeat(8 - (text.length % 8)) + part;
  return text;
}

function doubt(line: number, row: string, columns: readonly ColumnSpan[]): string {
  const found = row.trim().split(/\s+/).length;
  const counts = `${found} values for the ${columns.length} columns of the header`;
  return `line ${line}: ${counts}, and it cannot be said which is whose; "columns" names them`;
}

/** A number with its unit, a time, a path, or a record of `:`: what lines of data hold and no tool names a column. */
const VALUE =
  /^(?:[-+]?\d+(?:[.,:]\d+)*(?:%|[KMGTP]i?B?|[kMGT]?B)?|\d{4}-\d\d-\d\d\S*|\/\S*|[^:\s]*:[^:\s]*:\S*:\S*)$/;

const WAYS_OUT = '"header: false" or "columns" reads a text without names, "skip" leaves lines out';

/**
 * Why the first line of a table cannot be taken for its names, as a clause; undefined where it can.
 *
 * `rows` are the lines after it, `isFirst` is false for a table that follows another one after a blank line.
 */
function headerProblem(header: string, rows: readonly string[], isFirst: boolean): string | undefined {
  const names = wordsOf(header);
  const value = names.find((name) => VALUE.test(name));
  if (value !== undefined)
    return `"${value}" reads like a value, and the names of columns are expected; ${WAYS_OUT}`;
  if (isTitle(header, rows))
    return `it reads like a title, and the names of columns come after it; ${WAYS_OUT}`;
  // kubectl prints several tables, with names in capitals; other programs end a table with a legend or a sum.
  if (!isFirst && /\p{Ll}/u.test(header))
    return `after the blank line comes no table; "until: ''" ends reading there`;
  return undefined;
}

/** A line of fewer words than the next one, which is laid out in columns and has no digit: `Active Internet connections`. */
function isTitle(header: string, [next = '', ...rows]: readonly string[]): boolean {
  if (rows.length === 0 || /\d/.test(next) || / {2}/.test(header.trim())) return false;
  return / {2}/.test(next.trim()) && wordsOf(next).length > wordsOf(header).length;
}

function wordsOf(line: string): string[] {
  return spansOf(line, /\S+/g).map(({ text }) => text);
}

/** Names that stand two or more spaces apart and may hold single ones: `CONTAINER ID   IMAGE`. */
function alignedColumns(header: string): ColumnSpan[] {
  return spansOf(header, /\S+(?: \S+)*/g);
}

/**
 * Whether every cell of every row starts exactly where the name of its column does.
 *
 * A value with two spaces inside, under a name with one, shows that the name is really two: `Used Avail` of df.
 */
function isAligned(columns: readonly ColumnSpan[], rows: readonly string[]): boolean {
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

function sliceAligned(columns: readonly ColumnSpan[], row: string): string[] {
  return columns.map((column, place) => row.slice(column.start, columns[place + 1]?.start).trim());
}
