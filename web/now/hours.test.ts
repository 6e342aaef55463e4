import { expect, test } from 'bun:test';
import { hoursOf } from './hours.ts';

test('bars are as high as their hour beside the busiest, and one failure among thousands is seen', () => {
  const hours = hoursOf([
    { from: 'a', states: {} },
    { from: 'b', states: { succeeded: 500 } },
    { from: 'c', states: { succeeded: 999, failed: 1 } },
  ]);
  expect(hours.map(({ count, failed, share }) => [count, failed, share])).toEqual([
    [0, 0, 0],
    [500, 0, 0.5],
    [1000, 1, 1],
  ]);
  expect(hours[2]?.failedShare).toBe(0.06);
});

test('a day without executions has no bars', () => {
  expect(hoursOf([{ from: 'a', states: {} }])).toEqual([
    { from: 'a', count: 0, failed: 0, share: 0, failedShare: 0 },
  ]);
});
