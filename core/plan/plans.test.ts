import { expect, test } from 'bun:test';
import { nextPeriodMs, PLAN_LIMITS, quotaPeriod } from './plans.ts';

test('the limits of the plans are those of reference 8 and decision 46, plans and quotas', () => {
  const { free, pro, team, unlimited } = PLAN_LIMITS;
  expect([free, pro, team, unlimited].map((plan) => plan.executionsPerMonth)).toEqual([
    1000,
    50_000,
    500_000,
    undefined,
  ]);
  expect([free, pro, team, unlimited].map((plan) => plan.seats)).toEqual([1, 1, 3, undefined]);
  expect([free, pro, team, unlimited].map((plan) => plan.schedules)).toEqual([0, 3, undefined, undefined]);
  expect([free, pro, team, unlimited].map((plan) => plan.callsPerMinutePerKey)).toEqual([
    600,
    600,
    600,
    undefined,
  ]);
  expect([free, pro, team, unlimited].map((plan) => plan.openRuns)).toEqual([20, 200, 2_000, 10_000]);
  expect([free.hosted, pro.hosted?.vcpus, team.hosted?.memoryBytes]).toEqual([undefined, 1, 2 * 1024 ** 3]);
  expect(
    [pro, team, unlimited].map(({ hosted }) => [hosted?.concurrent, hosted?.executionsPerMonth]),
  ).toEqual([
    [5, 5_000],
    [20, 50_000],
    [20, 50_000],
  ]);
});

test.each([
  ['2026-11-20T12:00:00Z', '2026-11', '2026-12-01T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
  ['2027-01-01T00:00:00Z', '2027-01', '2027-02-01T00:00:00.000Z'],
])('%p is in %p, until %p', (at, period, next) => {
  const atMs = Date.parse(at);
  expect([quotaPeriod(atMs), new Date(nextPeriodMs(atMs)).toISOString()]).toEqual([period, next]);
});
