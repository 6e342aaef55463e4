import { expect, test } from 'bun:test';
import { added, compare } from './comparison.ts';
import type { Turn } from './interleave.ts';

/** Rounds in which the machine got slower and slower for both. */
const TURNS: Turn[] = [
  [300, 200],
  [150, 100],
  [40, 20],
].flatMap(([ours = 0, theirs = 0], index) => [
  { round: index + 1, contestant: 'ours', figure: ours, raw: [ours] },
  { round: index + 1, contestant: 'theirs', figure: theirs, raw: [theirs] },
]);

test('ratios are made round by round, not from the medians', () => {
  const result = compare({ subject: 'ours', against: 'theirs' }, TURNS);
  expect(result.ratio).toEqual({ median: 1.5, min: 1.5, max: 2 });
  expect(result.subjectFigure.median).toBe(150);
  expect(result.againstFigure.median).toBe(100);
  expect(result.met).toBeUndefined();
});

test.each([
  [{ atLeast: 1.5 }, true],
  [{ atLeast: 1.51 }, false],
  [{ atMost: 1.5 }, true],
  [{ atMost: 1.49 }, false],
])('a goal of %p is met at its very figure and missed beyond', (goal, met) => {
  expect(compare({ subject: 'ours', against: 'theirs', goal }, TURNS).met).toBe(met);
});

test('the difference between the two sides is given round by round', () => {
  expect(added({ subject: 'ours', against: 'theirs' }, TURNS)).toEqual([100, 50, 20]);
});
