import type { Edge } from './pipeline.ts';

/** The edges of one cycle, in order; undefined if there is none. */
export function findCycle<E extends Edge>(edges: readonly E[]): E[] | undefined {
  const stuck = stuckEdges(edges);
  const into = new Map(stuck.map((edge) => [edge.to, edge]));
  const walked: E[] = [];
  const at = new Map<string, number>();
  // Every stuck node has a stuck parent, so walking back along the edges must meet a node twice.
  for (let edge = stuck[0]; edge !== undefined; edge = into.get(edge.from)) {
    const start = at.get(edge.to);
    if (start !== undefined) return walked.slice(start).reverse();
    at.set(edge.to, walked.length);
    walked.push(edge);
  }
  return undefined;
}

/** The edges that remain after repeatedly removing the nodes whose parents are all removed. */
function stuckEdges<E extends Edge>(edges: readonly E[]): E[] {
  const waiting = new Map<string, number>();
  const out = Map.groupBy(edges, ({ from }) => from);
  for (const { to } of edges) waiting.set(to, (waiting.get(to) ?? 0) + 1);
  const done = [...out.keys()].filter((id) => !waiting.has(id));
  for (let id = done.pop(); id !== undefined; id = done.pop()) {
    for (const { to } of out.get(id) ?? []) {
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) done.push(to);
    }
  }
  return edges.filter(({ from, to }) => (waiting.get(from) ?? 0) > 0 && (waiting.get(to) ?? 0) > 0);
}
