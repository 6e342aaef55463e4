import { expect, test } from 'bun:test';
import { Backoff } from './backoff.ts';

const RANGE = { firstMs: 1_000, longestMs: 15_000 };
const waits = (backoff: Backoff, failures: number) =>
  Array.from({ length: failures }, () => backoff.nextMs());

test('the wait doubles from one second to fifteen, and begins again after a reset', () => {
  const backoff = new Backoff(RANGE, (waitMs) => waitMs);
  expect(waits(backoff, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  backoff.reset();
  expect(waits(backoff, 2)).toEqual([1_000, 2_000]);
});

test('the caller varies each wait', () => {
  const chances = [0, 0.25, 0.999];
  const backoff = new Backoff(RANGE, (waitMs) => (chances.shift() ?? 0) * waitMs);
  expect(waits(backoff, 3)).toEqual([0, 500, 3_996]);
});

test('the wait stays in its bounds after years without a hub', () => {
  const backoff = new Backoff(RANGE, (waitMs) => waitMs / 2);
  expect(waits(backoff, 5_000).at(-1)).toBe(7_500);
});
