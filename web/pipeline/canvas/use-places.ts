import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { useMemo, useState } from 'react';
import { layoutOf, type Place } from '../graph/layout.ts';

/** Where the cards stand: laid out anew when nodes or edges change, but for those that somebody has dragged. */
export function useNavItems({ nodes, edges }: Pipeline) {
  const [dragged, setDragged] = useState<ReadonlyMap<string, Place>>(new Map());
  const shape = JSON.stringify([nodes.map(({ id }) => id), edges.map(({ from, to }) => [from, to])]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the shape of the graph says where cards stand.
  const laidOut = useMemo(() => layoutOf({ nodes, edges }), [shape]);
  const places = useMemo(() => new Map([...laidOut, ...dragged]), [laidOut, dragged]);
  const drag = (id: string, place: Place) => setDragged((before) => new Map(before).set(id, place));
  return { places, drag };
}
