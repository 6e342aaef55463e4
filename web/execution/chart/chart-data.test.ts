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

test('each time bucket counts successes, failures and all other states', () => {
  expect(chartData({ buckets })).toEqual({
    times: [1_795_176_000, 1_795_179_600],
    succeeded: [5, 0],
    failed: [3, 0],
    others: [2, 0],
    p50: [10, null],
    p95: [90, null],
  });
});

test('an axis has times of day, and dates where a day begins', () => {
  const midnight = Date.UTC(2026, 10, 20) / 1000;
  expect([midnight + 10_800, midnight].map((sec) => timeWords(sec, 10_800))).toEqual(['03:00', '11-20']);
  expect(timeWords(midnight + 3_600, 86_400)).toBe('11-20');
});

test('the summary names each group of states with its count', () => {
  expect(chartWords(buckets)).toBe('10 executions, 3 failed, 1 running, 1 never ran');
  expect(chartWords([])).toBe('no executions');
  const good = [{ from: '2026-11-20T12:00:00.000Z', states: { succeeded: 1 }, duration_ms: null }];
  expect(chartWords(good)).toBe('1 execution, none failed');
  const waiting = { pending_approval: 3, queued: 1, cancelled: 1 };
  expect(chartWords([{ from: '2026-11-20T12:00:00.000Z', states: waiting, duration_ms: null }])).toBe(
    '5 executions, none failed, 4 waiting, 1 cancelled',
  );
});
