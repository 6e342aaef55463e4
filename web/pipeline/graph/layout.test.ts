import { expect, test } from 'bun:test';
import type { Edge } from '@svc/core/pipeline/definition/pipeline';
import { CARD, layoutOf } from './layout.ts';

const condition = (id: string) => ({ kind: 'condition', id, expression: 'true' }) as const;

function placed(ids: readonly string[], edges: readonly Edge[]) {
  return layoutOf({ nodes: ids.map(condition), edges });
}

test('a node stands to the right of those before it, and no two cards overlap', () => {
  const edges = [
    { from: 'trigger', to: 'a' },
    { from: 'a', to: 'b' },
    { from: 'a', to: 'c' },
    { from: 'b', to: 'd' },
    { from: 'c', to: 'd' },
  ];
  const places = placed(['a', 'b', 'c', 'd'], edges);
  for (const { from, to } of edges)
    expect(places.get(to)?.x ?? 0).toBeGreaterThan((places.get(from)?.x ?? 0) + CARD.width);
  const all = [...places.values()];
  for (const [index, one] of all.entries())
    for (const other of all.slice(index + 1))
      expect(Math.abs(one.x - other.x) >= CARD.width || Math.abs(one.y - other.y) >= CARD.height).toBe(true);
});

test('a circle and an edge to nowhere are laid out all the same, so that they can be mended', () => {
  const places = placed(
    ['a', 'b'],
    [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
      { from: 'a', to: 'gone' },
    ],
  );
  expect([...places.keys()]).toEqual(['trigger', 'a', 'b']);
});

test('on a narrow screen what runs after another stands below it', () => {
  const nodes = ['a', 'b'].map(condition);
  const edges = [
    { from: 'trigger', to: 'a' },
    { from: 'a', to: 'b' },
  ];
  const places = layoutOf({ nodes, edges }, 'TB');
  for (const { from, to } of edges)
    expect(places.get(to)?.y ?? 0).toBeGreaterThan((places.get(from)?.y ?? 0) + CARD.height);
});
