import type { WireEndpoint } from '../wire-endpoint.ts';
import type { RecentFigures } from './recent-figures.ts';

/** The columns that the table can be ordered by, each with its first direction: what needs attention comes first. */
export const COLUMNS = {
  name: { label: 'Name', first: 'ascending' },
  success: { label: 'Success', first: 'ascending' },
  p95: { label: 'p95', first: 'descending' },
  last: { label: 'Last run', first: 'descending' },
  agent: { label: 'Agent', first: 'ascending' },
} as const satisfies Record<string, { readonly label: string; readonly first: Direction }>;

export type Column = keyof typeof COLUMNS;
type Direction = 'ascending' | 'descending';

export interface Order {
  readonly by: Column;
  readonly direction: Direction;
}

/** The order of a table without a choice. Only in this one starred endpoints come first. */
export const DEFAULT_ORDER: Order = { by: 'name', direction: 'ascending' };

/** Reads the order in an address: `p95`, or `-p95` for descending; undefined: none of the table. */
export function readOrder(text: unknown): Order | undefined {
  const [, sign, by] = typeof text === 'string' ? (/^(-?)(\w+)$/.exec(text) ?? []) : [];
  if (by === undefined || !isColumn(by)) return undefined;
  return { by, direction: sign === '-' ? 'descending' : 'ascending' };
}

/** The text of an order in an address; undefined for the default. */
export function orderText({ by, direction }: Order): string | undefined {
  if (by === DEFAULT_ORDER.by && direction === DEFAULT_ORDER.direction) return undefined;
  return direction === 'ascending' ? by : `-${by}`;
}

/** The order after a press on the header of a column. */
export function nextOrder(order: Order, by: Column): Order {
  if (order.by !== by) return { by, direction: COLUMNS[by].first };
  return { by, direction: order.direction === 'ascending' ? 'descending' : 'ascending' };
}

/** Whether the order needs the last runs of all endpoints. */
export function needsFigures({ by }: Order): boolean {
  return by !== 'name' && by !== 'agent';
}

/** The endpoints in an order, equal ones by name. Those without a figure come last in both directions. */
export function inOrder(
  endpoints: readonly WireEndpoint[],
  { by, direction }: Order,
  figuresOf: (slug: string) => RecentFigures | undefined,
): readonly WireEndpoint[] {
  const turn = direction === 'ascending' ? 1 : -1;
  const keyed = endpoints.map((endpoint) => ({ endpoint, key: keyOf(endpoint, by, figuresOf) }));
  return keyed
    .toSorted((one, other) => {
      if (one.key === undefined || other.key === undefined)
        return (
          Number(one.key === undefined) - Number(other.key === undefined) ||
          byName(one.endpoint, other.endpoint)
        );
      return compare(one.key, other.key) * turn || byName(one.endpoint, other.endpoint);
    })
    .map(({ endpoint }) => endpoint);
}

function keyOf(
  endpoint: WireEndpoint,
  by: Column,
  figuresOf: (slug: string) => RecentFigures | undefined,
): string | number | undefined {
  switch (by) {
    case 'name':
      return endpoint.slug;
    case 'agent':
      return endpoint.agent_name;
    case 'success':
      return figuresOf(endpoint.slug)?.successRate;
    case 'p95':
      return figuresOf(endpoint.slug)?.p95Ms;
    case 'last': {
      const at = figuresOf(endpoint.slug)?.lastAt;
      return at === undefined ? undefined : Date.parse(at);
    }
  }
}

function byName(one: WireEndpoint, other: WireEndpoint): number {
  return compare(one.slug, other.slug);
}

function compare<Key extends string | number>(one: Key, other: Key): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function isColumn(name: string): name is Column {
  return Object.hasOwn(COLUMNS, name);
}
