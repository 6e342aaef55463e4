import { ExactNumber, type ExactValue, isRecord, valueText } from './exact-json.ts';

export type TableRow = { readonly [name: string]: ExactValue };

/** A list of objects as a table; `left` counts the columns beyond the limit. */
export interface TableData {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
  readonly left: number;
}

export interface Sorting {
  readonly column: string;
  readonly isDescending: boolean;
}

const MAX_COLUMNS = 40;

/** Undefined unless the value is a list with at least one object and nothing else. */
export function tableOf(value: ExactValue): TableData | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return undefined;
  const rows = value as readonly TableRow[];
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (columns.length === 0) return undefined;
  return { columns: columns.slice(0, MAX_COLUMNS), rows, left: Math.max(columns.length - MAX_COLUMNS, 0) };
}

/** The value in a column; own properties only, since a column may be called `constructor`. */
export function cellOf(row: TableRow | undefined, column: string): ExactValue | undefined {
  return row !== undefined && Object.hasOwn(row, column) ? row[column] : undefined;
}

/** Sorts numbers by size and text naturally (`a9` before `a10`); rows without a value always come last. */
export function sortedRows({ rows }: TableData, sorting: Sorting | undefined): readonly TableRow[] {
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

/** Whether a column holds only numbers, which are aligned right. */
export function isNumeric({ rows }: TableData, column: string): boolean {
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
