import { Graph, layout } from '@dagrejs/dagre';
import { type Pipeline, TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';

/** The upper left corner of a card, in pixels of the canvas. */
export interface CardPosition {
  readonly x: number;
  readonly y: number;
}

export const CARD = { width: 208, height: 60 } as const;
const BETWEEN = { rank: { LR: 72, TB: 44 }, node: 28 } as const;

/** Where a graph runs to: from left to right, or from top to bottom on a narrow screen. */
export type Direction = 'LR' | 'TB';

/** The automatic layout in running order, with few crossing edges. */
export function layoutOf(
  { nodes, edges }: Pick<Pipeline, 'nodes' | 'edges'>,
  direction: Direction = 'LR',
): ReadonlyMap<string, CardPosition> {
  const graph = new Graph();
  graph.setGraph({ rankdir: direction, ranksep: BETWEEN.rank[direction], nodesep: BETWEEN.node });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Set([TRIGGER_ID, ...nodes.map(({ id }) => id)]);
  for (const id of ids) graph.setNode(id, { ...CARD });
  for (const { from, to } of edges) if (ids.has(from) && ids.has(to)) graph.setEdge(from, to);
  layout(graph);
  return new Map([...ids].map((id) => [id, cornerOf(graph.node(id))]));
}

function cornerOf({ x, y }: { readonly x?: number; readonly y?: number }): CardPosition {
  return { x: (x ?? 0) - CARD.width / 2, y: (y ?? 0) - CARD.height / 2 };
}
