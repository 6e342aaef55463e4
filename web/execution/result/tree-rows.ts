import { ExactNumber, type ExactValue } from './exact-json.ts';

/** A line of a tree: a value, or what is inside of it. */
export interface TreeRow {
  /** Names and indices from the top, as JSON text: one for each place. */
  readonly path: string;
  readonly depth: number;
  /** The name or index under which it stands; undefined at the top. */
  readonly name: string | number | undefined;
  readonly value: ExactValue;
  /** How many values are in it; undefined when it is no list and no object. */
  readonly size: number | undefined;
  readonly isOpen: boolean;
}

/** Which places are not as they are at first. */
export type Toggled = ReadonlySet<string>;

/** So deep a tree is open at first, as long as what it holds is short. */
const OPEN_DEPTH = 2;
const OPEN_SIZE = 50;

/** The lines of a value that show, from the top to the bottom. */
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

/** What a line that is closed says instead of what is inside. */
export function sizeText({ value, size }: Pick<TreeRow, 'value' | 'size'>): string {
  if (size === undefined) return '';
  const [one, many] = Array.isArray(value) ? ['item', 'items'] : ['field', 'fields'];
  return `${size} ${size === 1 ? one : many}`;
}
