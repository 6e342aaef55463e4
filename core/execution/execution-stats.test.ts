import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { ExecutionStats, statsSpan } from './execution-stats.ts';

const HOUR_MS = 3_600_000;
const NOON_MS = Date.UTC(2026, 10, 20, 12);

describe('a span of statistics', () => {
  test('is of whole buckets around what was asked for', () => {
    expect(statsSpan(NOON_MS - 1, NOON_MS + 1, 'hour')).toEqual({
      fromMs: NOON_MS - HOUR_MS,
      untilMs: NOON_MS + HOUR_MS,
      bucketMs: HOUR_MS,
    });
    expect(statsSpan(NOON_MS, NOON_MS + HOUR_MS, 'hour')).toMatchObject({ fromMs: NOON_MS });
    expect(statsSpan(NOON_MS, NOON_MS + 1, 'day')?.fromMs).toBe(Date.UTC(2026, 10, 20));
  });

  test('is none when it is empty, turned around, or more than a chart shows', () => {
    expect(statsSpan(NOON_MS, NOON_MS, 'hour')).toBeUndefined();
    expect(statsSpan(NOON_MS, NOON_MS - 5 * HOUR_MS, 'hour')).toBeUndefined();
    expect(statsSpan(NOON_MS, NOON_MS + 400 * HOUR_MS, 'hour')).toBeDefined();
    expect(statsSpan(NOON_MS, NOON_MS + 401 * HOUR_MS, 'hour')).toBeUndefined();
  });
});

function statsOf(durations: readonly number[]) {
  const span = statsSpan(NOON_MS, NOON_MS + 2 * HOUR_MS, 'hour');
  if (span === undefined) throw new Error('no span');
  const stats = new ExecutionStats(span);
  for (const durationMs of durations) stats.add({ atMs: NOON_MS, state: 'succeeded', durationMs });
  return stats;
}

describe('statistics', () => {
  test('count each state in the bucket of its time, the borders included once', () => {
    const stats = statsOf([]);
    stats.add({ atMs: NOON_MS - 1, state: 'failed', durationMs: 1 });
    stats.add({ atMs: NOON_MS, state: 'failed', durationMs: 1 });
    stats.add({ atMs: NOON_MS + HOUR_MS - 1, state: 'running', durationMs: undefined });
    stats.add({ atMs: NOON_MS + HOUR_MS, state: 'failed', durationMs: 3 });
    stats.add({ atMs: NOON_MS + 2 * HOUR_MS, state: 'failed', durationMs: 1 });
    expect(stats.result()).toEqual([
      {
        fromMs: NOON_MS,
        states: new Map([
          ['failed', 1],
          ['running', 1],
        ]),
        duration: { p50Ms: 1, p95Ms: 1 },
      },
      {
        fromMs: NOON_MS + HOUR_MS,
        states: new Map([['failed', 1]]),
        duration: { p50Ms: 3, p95Ms: 3 },
      },
    ]);
  });

  test('have every bucket, also one without an execution', () => {
    expect(statsOf([]).result()).toEqual([
      { fromMs: NOON_MS, states: new Map(), duration: undefined },
      { fromMs: NOON_MS + HOUR_MS, states: new Map(), duration: undefined },
    ]);
  });

  test('tell what half and 95 in 100 took at most', () => {
    const [bucket] = statsOf(Array.from({ length: 100 }, (_, at) => 100 - at)).result();
    expect(bucket?.duration).toEqual({ p50Ms: 50, p95Ms: 95 });
  });

  test('tell durations that there were, of which so many are not longer', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 300 }), (durations) => {
        const { p50Ms = -1, p95Ms = -1 } = statsOf(durations).result()[0]?.duration ?? {};
        for (const [value, share] of [
          [p50Ms, 0.5],
          [p95Ms, 0.95],
        ] as const) {
          expect(durations).toContain(value);
          expect(durations.filter((one) => one <= value).length).toBeGreaterThanOrEqual(
            share * durations.length,
          );
          expect(durations.filter((one) => one < value).length).toBeLessThan(share * durations.length);
        }
      }),
    );
  });
});
