import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ancestry } from './ancestors.ts';
import { findCycle } from './check-graph.ts';
import type { Edge } from './pipeline.ts';

const COUNT = 70;
const ids = Array.from({ length: COUNT }, (_, index) => `n${index}`);
const index = fc.nat({ max: COUNT - 1 });
const edgeOf = (from: number, to: number): Edge => ({ from: `n${from}`, to: `n${to}` });
const anyEdges = fc.array(fc.tuple(index, index), { maxLength: 90, size: 'max' });
const few = fc.nat({ max: 19 });
const anyGraph = fc
  .array(fc.tuple(few, few), { minLength: 5, maxLength: 40, size: 'max' })
  .map((pairs) => pairs.map(([from, to]) => edgeOf(from, to)));
const anyDag = anyEdges.map((pairs) =>
  pairs.filter(([a, b]) => a !== b).map(([a, b]) => edgeOf(Math.min(a, b), Math.max(a, b))),
);

/** Everything that can be reached, found one edge after another. */
function reachedFrom(start: string, edges: readonly Edge[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (const at of open) {
    for (const { from, to } of edges) {
      if (from !== at || reached.has(to)) continue;
      reached.add(to);
      open.push(to);
    }
  }
  return reached;
}

test('a node runs before another exactly when edges lead from one to the other', () => {
  fc.assert(
    fc.property(anyDag, index, (edges, first) => {
      const runsBefore = ancestry(ids, edges);
      const reached = reachedFrom(`n${first}`, edges);
      expect(ids.filter((id) => runsBefore(`n${first}`, id))).toEqual(ids.filter((id) => reached.has(id)));
    }),
    { numRuns: 300 },
  );
});

test('a circle is found exactly when there is one, and it is one', () => {
  let circles = 0;
  fc.assert(
    fc.property(fc.oneof(anyGraph, anyDag), (edges) => {
      const circle = findCycle(edges);
      const hasCircle = ids.some((id) => reachedFrom(id, edges).has(id));
      expect(circle !== undefined).toBe(hasCircle);
      circles += Number(hasCircle);
      for (const [at, edge] of (circle ?? []).entries()) {
        expect(edges).toContain(edge);
        expect(edge.to).toBe(circle?.[(at + 1) % circle.length]?.from ?? '');
      }
    }),
    { numRuns: 300 },
  );
  expect(circles).toBeGreaterThan(30);
});
