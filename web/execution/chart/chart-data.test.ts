import { expect, test } from 'bun:test';
import { chartData, chartWords, timeWords } from './chart-data.ts';

const buckets = [
  {
    from: '2026-11-20T12:00:00.000Z',
    states: { succeeded: 5, failed: 1, timed_out: 2, rejected: 1, running: 1 },
    duration_ms: { p50: 10, p95: 90 },
  },
  { from: '2026-11-20T13:00:00.000Z', states: {}, duration_ms: null },
];

test('each piece of time has what went well, what went wrong, and the rest', () => {
  expect(chartData({ buckets })).toEqual({
    times: [1_795_176_000, 1_795_179_600],
    succeeded: [5, 0],
    failed: [3, 0],
    others: [2, 0],
    half: [10, null],
    most: [90, null],
  });
});

test('an axis has times of day, and dates where a day begins', () => {
  const midnight = Date.UTC(2026, 10, 20) / 1000;
  expect([midnight + 10_800, midnight].map((sec) => timeWords(sec, 10_800))).toEqual(['03:00', '11-20']);
  expect(timeWords(midnight + 3_600, 86_400)).toBe('11-20');
});

test('a chart is said in words', () => {
  expect(chartWords(chartData({ buckets }))).toBe('10 executions, 3 failed, 2 did not run to their end');
  expect(chartWords(chartData({ buckets: [] }))).toBe('nothing ran');
  const good = [{ from: '2026-11-20T12:00:00.000Z', states: { succeeded: 1 }, duration_ms: null }];
  expect(chartWords(chartData({ buckets: good }))).toBe('1 execution, none failed');
});
