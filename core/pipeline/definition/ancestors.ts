import type { Edge } from './pipeline.ts';

/** Whether `first` always runs before `second`, for every outcome of the conditions. */
export type RunsBefore = (first: string, second: string) => boolean;

/**
 * The order of nodes in a graph without cycles.
 *
 * It stores one bit for each pair of nodes, so a thousand nodes with five thousand edges take a few milliseconds.
 */
export function ancestry(ids: readonly string[], edges: readonly Edge[]): RunsBefore {
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const parents = Map.groupBy(edges, ({ to }) => to);
  const before = new Map<string, Uint32Array>();
  for (const id of inOrder(ids, edges)) {
    const bits = new Uint32Array(Math.ceil(ids.length / 32));
    for (const { from } of parents.get(id) ?? []) {
      const index = indexes.get(from);
      if (index !== undefined) bits[index >>> 5] = (bits[index >>> 5] ?? 0) | (1 << (index & 31));
      before.get(from)?.forEach((word, at) => {
        bits[at] = (bits[at] ?? 0) | word;
      });
    }
    before.set(id, bits);
  }
  return (first, second) => {
    const index = indexes.get(first);
    const word = index === undefined ? 0 : (before.get(second)?.[index >>> 5] ?? 0);
    return ((word >>> ((index ?? 0) & 31)) & 1) === 1;
  };
}

/** The ids, each after all its parents. Ids in a cycle are left out. */
function inOrder(ids: readonly string[], edges: readonly Edge[]): string[] {
  const known = new Set(ids);
  const inner = edges.filter(({ from, to }) => known.has(from) && known.has(to));
  const out = Map.groupBy(inner, ({ from }) => from);
  const waiting = new Map(ids.map((id) => [id, 0]));
  for (const { to } of inner) waiting.set(to, (waiting.get(to) ?? 0) + 1);
  const order = ids.filter((id) => waiting.get(id) === 0);
  for (const id of order) {
    for (const { to } of out.get(id) ?? []) {
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) order.push(to);
    }
  }
  return order;
}
