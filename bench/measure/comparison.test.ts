import { expect, test } from 'bun:test';
import { added, judge } from './comparison.ts';
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
  const verdict = judge({ subject: 'ours', against: 'theirs' }, TURNS);
  expect(verdict.ratio).toEqual({ median: 1.5, min: 1.5, max: 2 });
  expect(verdict.subjectFigure.median).toBe(150);
  expect(verdict.againstFigure.median).toBe(100);
  expect(verdict.met).toBeUndefined();
});

test.each([
  [{ atLeast: 1.5 }, true],
  [{ atLeast: 1.51 }, false],
  [{ atMost: 1.5 }, true],
  [{ atMost: 1.49 }, false],
])('a goal of %p is met at its very figure and missed beyond', (goal, met) => {
  expect(judge({ subject: 'ours', against: 'theirs', goal }, TURNS).met).toBe(met);
});

test('what one side takes more than the other is told round by round', () => {
  expect(added({ subject: 'ours', against: 'theirs' }, TURNS)).toEqual([100, 50, 20]);
});
