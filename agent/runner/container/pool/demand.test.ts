import { expect, test } from 'bun:test';
import { PoolSize } from './demand.ts';

function demand(most = 20) {
  const clock = { nowMs: 0 };
  return { clock, demand: new PoolSize(most, () => clock.nowMs) };
}

test('wants one before anything was asked for', () => {
  expect(demand().demand.wanted()).toBe(1);
});

test('wants as many as were taken within a second, and not more for being asked again', () => {
  const { clock, demand: it } = demand();
  for (let takes = 0; takes < 7; takes += 1) it.note();
  clock.nowMs = 1_000;
  for (let takes = 0; takes < 3; takes += 1) it.note();
  expect(it.wanted()).toBe(7);
});

test('wants no more than it may', () => {
  const { demand: it } = demand(4);
  for (let takes = 0; takes < 100; takes += 1) it.note();
  expect(it.wanted()).toBe(4);
});

test('forgets a burst after five minutes', () => {
  const { clock, demand: it } = demand();
  for (let takes = 0; takes < 7; takes += 1) it.note();
  clock.nowMs = 299_000;
  expect(it.wanted()).toBe(7);
  clock.nowMs = 301_000;
  expect(it.wanted()).toBe(1);
});

test('wants none where none may wait', () => {
  const { demand: it } = demand(0);
  it.note();
  expect(it.wanted()).toBe(0);
});
