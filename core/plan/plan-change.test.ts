import { expect, test } from 'bun:test';
import { planEffects } from './plan-change.ts';

const what = (...given: Parameters<typeof planEffects>) => planEffects(...given).map((effect) => effect.what);

test('usage within a plan has no effects; usage beyond it is reported with its limit', () => {
  expect(planEffects('free', { seats: 1, schedules: 0, executions: 999 }, 0)).toEqual([]);
  expect(planEffects('free', { seats: 3, schedules: 2, executions: 1_000 }, 1)).toMatchObject([
    { what: 'seats', used: 3, allowed: 1 },
    { what: 'schedules', used: 2, allowed: 0 },
    { what: 'executions', used: 1_000, allowed: 1_000 },
    { what: 'hosted', used: 1, allowed: 0 },
  ]);
  expect(what('pro', { seats: 1, schedules: 3, executions: 49_999 }, 5)).toEqual([]);
  expect(what('pro', { seats: 2, schedules: 4, executions: 50_000 }, 5)).toEqual([
    'seats',
    'schedules',
    'executions',
  ]);
  expect(what('unlimited', { seats: 99, schedules: 99, executions: 9_999_999 }, 9)).toEqual([]);
});
