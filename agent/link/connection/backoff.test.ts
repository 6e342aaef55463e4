import { expect, test } from 'bun:test';
import { Backoff } from './backoff.ts';

const windows = (backoff: Backoff, tries: number) => Array.from({ length: tries }, () => backoff.nextMs());

test('the window doubles from one second to fifteen, and begins again after a reset', () => {
  const backoff = new Backoff(() => 1);
  expect(windows(backoff, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  backoff.reset();
  expect(windows(backoff, 2)).toEqual([1_000, 2_000]);
});

test('the delay is uniform in the window', () => {
  const chances = [0, 0.25, 0.999];
  const backoff = new Backoff(() => chances.shift() ?? 0);
  expect(windows(backoff, 3)).toEqual([0, 500, 3_996]);
});

test('the window stays in its bounds after years without a hub', () => {
  const backoff = new Backoff(() => 0.5);
  expect(windows(backoff, 5_000).at(-1)).toBe(7_500);
});
