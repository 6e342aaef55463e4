import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { useMemo, useState } from 'react';
import { type CardPosition, layoutOf } from '../graph/layout.ts';

/** The positions of the cards: laid out again when nodes or edges change, except dragged cards. */
export function useCardPositions({ nodes, edges }: Pipeline) {
  const [dragged, setDragged] = useState<ReadonlyMap<string, CardPosition>>(new Map());
  const shape = JSON.stringify([nodes.map(({ id }) => id), edges.map(({ from, to }) => [from, to])]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the shape of the graph decides the layout.
  const laidOut = useMemo(() => layoutOf({ nodes, edges }), [shape]);
  const positions = useMemo(() => new Map([...laidOut, ...dragged]), [laidOut, dragged]);
  const drag = (id: string, position: CardPosition) =>
    setDragged((before) => new Map(before).set(id, position));
  return { positions, drag };
}
