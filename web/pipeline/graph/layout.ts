import { Graph, layout } from '@dagrejs/dagre';
import { type Pipeline, TRIGGER_ID } from '@svc/core/pipeline/definition/pipeline';

/** The upper left corner of a card, in pixels of the canvas. */
export interface CardPosition {
  readonly x: number;
  readonly y: number;
}

/** The size of a card, and the room beside it. */
export interface CardSize {
  readonly width: number;
  readonly height: number;
  readonly gap: number;
}

export const CARD: CardSize = { width: 208, height: 60, gap: 28 };
/** Two of these stand beside each other on a phone, at a zoom that can be read. */
export const NARROW_CARD: CardSize = { width: 164, height: 60, gap: 12 };
const BETWEEN_RANKS = { LR: 72, TB: 44 } as const;

/** Where a graph runs to: from left to right, or from top to bottom on a narrow screen. */
export type Direction = 'LR' | 'TB';

/** The automatic layout in running order, with few crossing edges. */
export function layoutOf(
  { nodes, edges }: Pick<Pipeline, 'nodes' | 'edges'>,
  direction: Direction = 'LR',
  card: CardSize = CARD,
): ReadonlyMap<string, CardPosition> {
  const graph = new Graph();
  graph.setGraph({ rankdir: direction, ranksep: BETWEEN_RANKS[direction], nodesep: card.gap });
  graph.setDefaultEdgeLabel(() => ({}));
  const ids = new Set([TRIGGER_ID, ...nodes.map(({ id }) => id)]);
  for (const id of ids) graph.setNode(id, { width: card.width, height: card.height });
  for (const { from, to } of edges) if (ids.has(from) && ids.has(to)) graph.setEdge(from, to);
  layout(graph);
  return new Map([...ids].map((id) => [id, cornerOf(graph.node(id), card)]));
}

function cornerOf(
  { x, y }: { readonly x?: number; readonly y?: number },
  { width, height }: CardSize,
): CardPosition {
  return { x: (x ?? 0) - width / 2, y: (y ?? 0) - height / 2 };
}
