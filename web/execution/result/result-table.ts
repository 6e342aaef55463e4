import { ExactNumber, type ExactValue, isRecord, valueText } from './exact-json.ts';

export type TableRow = { readonly [name: string]: ExactValue };

/** A list of objects as a table; `left` columns are not in it, because nobody would read so many. */
export interface ResultTable {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  readonly left: number;
}

export interface Sorting {
  readonly column: string;
  readonly isDescending: boolean;
}

const MOST_COLUMNS = 40;

/** Undefined when the value is no list, is empty, or has anything but objects in it. */
export function tableOf(value: ExactValue): ResultTable | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return undefined;
  const rows = value as readonly TableRow[];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0) return undefined;
  return { columns: columns.slice(0, MOST_COLUMNS), rows, left: Math.max(columns.length - MOST_COLUMNS, 0) };
}

/** Of rows of which each has other names, and any name: `constructor` is one that a row has only when it was printed. */
export function cellOf(row: TableRow | undefined, column: string): ExactValue | undefined {
  return row !== undefined && Object.hasOwn(row, column) ? row[column] : undefined;
}

/** Numbers by their size, text as people sort it, `a9` before `a10`; rows without a value are last, whichever way. */
export function sortedRows({ rows }: ResultTable, sorting: Sorting | undefined): readonly TableRow[] {
  if (sorting === undefined) return rows;
  const { column, isDescending } = sorting;
  const keyed = rows.map((row) => ({ row, key: keyOf(cellOf(row, column)) }));
  const [filled, empty] = [
    keyed.filter(({ key }) => key !== undefined),
    keyed.filter(({ key }) => key === undefined),
  ];
  filled.sort((one, other) => compare(one.key, other.key) * (isDescending ? -1 : 1));
  return [...filled, ...empty].map(({ row }) => row);
}

/** Whether a column has nothing but numbers, which are set to the right. */
export function isNumeric({ rows }: ResultTable, column: string): boolean {
  return rows.every((row) => ['undefined', 'number'].includes(typeof keyOf(cellOf(row, column))));
}

type Key = number | string | undefined;

function keyOf(value: ExactValue | undefined): Key {
  if (value == null) return undefined;
  if (typeof value === 'number') return value;
  return value instanceof ExactNumber ? Number(value.digits) : valueText(value);
}

const collator = new Intl.Collator('en', { numeric: true });

function compare(one: Key, other: Key): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  if (typeof one === 'number') return -1;
  if (typeof other === 'number') return 1;
  return collator.compare(one ?? '', other ?? '');
}
