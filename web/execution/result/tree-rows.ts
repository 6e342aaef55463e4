import { ExactNumber, type ExactValue } from './exact-json.ts';

/** A line of a tree: a value or one of its items. */
export interface TreeRow {
  /** The path from the root as JSON text, unique per line. */
  readonly path: string;
  readonly depth: number;
  /** The name or index in the parent; undefined at the root. */
  readonly name: string | number | undefined;
  readonly value: ExactValue;
  /** The number of items; undefined for a value that is no list and no object. */
  readonly size: number | undefined;
  readonly isOpen: boolean;
}

/** The paths that differ from their initial state. */
export type Toggled = ReadonlySet<string>;

/** Lists and objects up to this depth and size are open at first. */
const OPEN_DEPTH = 2;
const OPEN_SIZE = 50;

/** The visible lines of a value, from top to bottom. */
export function treeRows(value: ExactValue, toggled: Toggled): TreeRow[] {
  const rows: TreeRow[] = [];
  addRows(rows, { name: undefined, value, path: [] }, toggled);
  return rows;
}

interface Place {
  readonly name: TreeRow['name'];
  readonly value: ExactValue;
  readonly path: readonly (string | number)[];
}

function addRows(rows: TreeRow[], { name, value, path }: Place, toggled: Toggled): void {
  const inside = entriesOf(value);
  const size = inside?.length;
  const text = JSON.stringify(path);
  const isOpenAtFirst = path.length < OPEN_DEPTH && (size ?? 0) <= OPEN_SIZE;
  const isOpen = size !== undefined && size > 0 && isOpenAtFirst !== toggled.has(text);
  rows.push({ path: text, depth: path.length, name, value, size, isOpen });
  if (!isOpen) return;
  for (const [key, item] of inside ?? [])
    addRows(rows, { name: key, value: item, path: [...path, key] }, toggled);
}

function entriesOf(value: ExactValue): readonly (readonly [string | number, ExactValue])[] | undefined {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
  if (Array.isArray(value))
    return (value as readonly ExactValue[]).map((item, index) => [index, item] as const);
  return Object.entries(value);
}

/** The text of a closed line: "3 items". */
export function sizeText({ value, size }: Pick<TreeRow, 'value' | 'size'>): string {
  if (size === undefined) return '';
  const [one, many] = Array.isArray(value) ? ['item', 'items'] : ['field', 'fields'];
  return `${size} ${size === 1 ? one : many}`;
}
