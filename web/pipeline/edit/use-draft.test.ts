import { expect, test } from 'bun:test';
import { emptyPipeline } from '../graph/wire-pipeline.ts';
import { followed, moved } from './use-draft.ts';

const [a, b, c] = ['a', 'b', 'c'].map(emptyPipeline) as [
  ReturnType<typeof emptyPipeline>,
  ReturnType<typeof emptyPipeline>,
  ReturnType<typeof emptyPipeline>,
];

const FIRST = { version: 1, content: a };
const SECOND = { version: 2, content: c };

test('changes are taken back and made again one by one; a new one forgets those that were taken back', () => {
  let drawn = moved(
    moved({ base: FIRST, past: [], now: a, future: [] }, () => b),
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
  const drawn = { base: FIRST, past: [], now: a, future: [b] };
  expect(moved(drawn, (same) => same)).toEqual(drawn);
});

test('a drawing without changes follows the newest version, and one with changes keeps its base and its history', () => {
  const untouched = { base: FIRST, past: [], now: a, future: [] };
  expect(followed(untouched, SECOND)).toEqual({ base: SECOND, past: [], now: c, future: [] });
  const drawn = moved(untouched, () => b);
  expect(followed(drawn, SECOND)).toBe(drawn);
  expect(moved(drawn, { onto: SECOND })).toEqual({ ...drawn, base: SECOND });
});

test('a save keeps the history, and what was drawn while it was under way', () => {
  const drawn = moved({ base: FIRST, past: [], now: a, future: [] }, () => c);
  const saved = moved(drawn, { saved: SECOND, sent: c });
  expect(saved).toEqual({ base: SECOND, past: [a], now: c, future: [] });
  const later = moved(drawn, () => b);
  expect(moved(later, { saved: SECOND, sent: c })).toEqual({ ...later, base: SECOND });
  // The event of the own save may come before its response.
  expect(followed(drawn, SECOND)).toEqual(saved);
});
