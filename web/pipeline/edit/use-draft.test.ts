import { expect, test } from 'bun:test';
import { emptyPipeline } from '../graph/wire-pipeline.ts';
import { moved } from './use-draft.ts';

const [a, b, c] = ['a', 'b', 'c'].map(emptyPipeline) as [
  ReturnType<typeof emptyPipeline>,
  ReturnType<typeof emptyPipeline>,
  ReturnType<typeof emptyPipeline>,
];

test('changes are taken back and made again one by one; a new one forgets those that were taken back', () => {
  let drawn = moved(
    moved({ past: [], now: a, future: [] }, () => b),
    () => c,
  );
  drawn = moved(drawn, 'undo');
  expect([drawn.now.slug, drawn.future.length]).toEqual(['b', 1]);
  expect(moved(drawn, 'redo').now.slug).toBe('c');
  drawn = moved(drawn, 'undo');
  expect(moved(drawn, 'undo')).toEqual(drawn);
  const other = moved(drawn, () => c);
  expect([other.now.slug, other.future.length]).toEqual(['c', 0]);
});

test('an edit without effect is no change', () => {
  const drawn = { past: [], now: a, future: [b] };
  expect(moved(drawn, (same) => same)).toEqual(drawn);
});
