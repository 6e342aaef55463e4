import { expect, test } from 'bun:test';
import { PoolSize } from './pool-size.ts';

function size(most = 20) {
  const clock = { nowMs: 0 };
  return { clock, size: new PoolSize(most, () => clock.nowMs) };
}

test('wants one container before the first request', () => {
  expect(size().size.wanted()).toBe(1);
});

test('wants as many as were taken within a second, and repeated reads change nothing', () => {
  const { clock, size: it } = size();
  for (let takes = 0; takes < 7; takes += 1) it.recordTake();
  clock.nowMs = 1_000;
  for (let takes = 0; takes < 3; takes += 1) it.recordTake();
  expect(it.wanted()).toBe(7);
});

test('respects its limit', () => {
  const { size: it } = size(4);
  for (let takes = 0; takes < 100; takes += 1) it.recordTake();
  expect(it.wanted()).toBe(4);
});

test('forgets a burst after five minutes', () => {
  const { clock, size: it } = size();
  for (let takes = 0; takes < 7; takes += 1) it.recordTake();
  clock.nowMs = 299_000;
  expect(it.wanted()).toBe(7);
  clock.nowMs = 301_000;
  expect(it.wanted()).toBe(1);
});

test('wants none if the limit is zero', () => {
  const { size: it } = size(0);
  it.recordTake();
  expect(it.wanted()).toBe(0);
});
