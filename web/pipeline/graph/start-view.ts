import { CARD, type CardPosition, type CardSize } from './layout.ts';

/** The part of a graph that a canvas shows, as React Flow has it: a point of the graph is drawn at `point * zoom + x`. */
interface View {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** In pixels of the screen. */
interface CanvasSize {
  readonly width: number;
  readonly height: number;
}

/** A name of 14 px is 12 px high then. */
const MIN_ZOOM = 0.85;
const MAX_ZOOM = 1;
const MARGIN = 16;

/**
 * The first view of a graph: all of it if that can be read, or else its start at the smallest zoom that can be read, moved
 * as far as `shown`, a card, needs.
 */
export function startView(
  positions: ReadonlyMap<string, CardPosition>,
  canvas: CanvasSize,
  shown?: string,
  size: CardSize = CARD,
): View {
  const corners = [...positions.values()];
  const card = shown === undefined ? undefined : positions.get(shown);
  const axis = (of: 'x' | 'y', extent: 'width' | 'height') => {
    const values = corners.map((corner) => corner[of]);
    // A loop: thousands of cards are too many arguments.
    const from = values.reduce((least, value) => Math.min(least, value), values[0] ?? 0);
    const to = values.reduce((most, value) => Math.max(most, value), values[0] ?? 0) + size[extent];
    return { from, to, room: canvas[extent], card: card && { from: card[of], to: card[of] + size[extent] } };
  };
  const across = axis('x', 'width');
  const down = axis('y', 'height');
  const fitting = Math.min(...[across, down].map(({ from, to, room }) => (room - 2 * MARGIN) / (to - from)));
  const zoom = Math.min(MAX_ZOOM, Math.max(MIN_ZOOM, fitting));
  return { x: offset(across, zoom), y: offset(down, zoom), zoom };
}

interface Axis {
  readonly from: number;
  readonly to: number;
  readonly room: number;
  readonly card: { readonly from: number; readonly to: number } | undefined;
}

function offset({ from, to, room, card }: Axis, zoom: number): number {
  const length = (to - from) * zoom;
  if (length <= room - 2 * MARGIN) return (room - length) / 2 - from * zoom;
  const atStart = MARGIN - from * zoom;
  return card === undefined ? atStart : Math.min(atStart, room - MARGIN - card.to * zoom);
}
