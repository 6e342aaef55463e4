import { arrayOf, objectWriter } from '../json-writer.ts';
import { splitLines } from '../split-lines.ts';
import { Unreadable } from '../unreadable.ts';
import { alignedColumns, isAligned, sliceAligned } from './aligned.ts';
import { packedColumns, splitPacked } from './packed.ts';
import type { ColumnSpan } from './span.ts';

/**
 * The aligned columns of `df`, `ps`, `docker ps` and `kubectl get`: an object per row, named by the header, all values strings.
 *
 * Two families of tools print such tables. Those that lay out text (docker, podman, kubectl, helm) start every cell where its
 * name starts and set columns two or more spaces apart, so names and values may hold single spaces and cells may be empty.
 * Those that fill fields (df, ps) also align to the right and let a long value push the rest of its row; there only the last
 * column may hold spaces. Which one it is, is decided by whether all rows fit the first. After a blank line comes the header
 * of another table (`kubectl get all`).
 */
export function parseTable(text: string): string {
  return arrayOf(tablesOf(splitLines(text)).flatMap(objectsOf));
}

interface Table {
  /** Line number of the header. */
  readonly line: number;
  readonly header: string;
  readonly rows: readonly string[];
}

function* tablesOf(lines: readonly string[]): Generator<Table> {
  let start = 0;
  for (let at = 0; at <= lines.length; at += 1) {
    if (at < lines.length && lines[at]?.trim() !== '') continue;
    const [header, ...rows] = lines.slice(start, at);
    if (header !== undefined) yield { line: start + 1, header, rows };
    start = at + 1;
  }
}

function* objectsOf({ line, header, rows }: Table): Generator<string> {
  const aligned = alignedColumns(header);
  const fits = isAligned(aligned, rows);
  const columns = fits ? aligned : packedColumns(header);
  const write = objectWriter(columns.map((column) => column.text));
  for (const [index, row] of rows.entries()) {
    const values = fits ? sliceAligned(columns, row) : splitPacked(columns, row);
    if (values === undefined) throw new Unreadable(tooFew(line + 1 + index, row, columns));
    yield write(values);
  }
}

function tooFew(line: number, row: string, columns: readonly ColumnSpan[]): string {
  const found = row.trim().split(/\s+/).length;
  return `line ${line}: ${found} values for the ${columns.length} columns of the header`;
}
