import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { durationOfBucket } from './duration-bucket.ts';
import { ExecutionCounts, statsSpan } from './execution-stats.ts';
import { bucketOfDuration } from './fixtures/bucket-of-duration.ts';

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

  test('is refused when it is empty, reversed, or has more buckets than a chart shows', () => {
    expect(statsSpan(NOON_MS, NOON_MS, 'hour')).toBeUndefined();
    expect(statsSpan(NOON_MS, NOON_MS - 5 * HOUR_MS, 'hour')).toBeUndefined();
    expect(statsSpan(NOON_MS, NOON_MS + 400 * HOUR_MS, 'hour')).toBeDefined();
    expect(statsSpan(NOON_MS, NOON_MS + 401 * HOUR_MS, 'hour')).toBeUndefined();
  });
});

function statsOf(durations: readonly number[]) {
  const span = statsSpan(NOON_MS, NOON_MS + 2 * HOUR_MS, 'hour');
  if (span === undefined) throw new Error('no span');
  const stats = new ExecutionCounts(span);
  for (const durationMs of durations)
    stats.add({ atMs: NOON_MS, state: 'succeeded', durations: [bucketOfDuration(durationMs), 1] });
  return stats;
}

describe('statistics', () => {
  test('count each state in the bucket of its time, the borders included once', () => {
    const stats = statsOf([]);
    stats.add({ atMs: NOON_MS - 1, state: 'failed', durations: [bucketOfDuration(1), 1] });
    stats.add({ atMs: NOON_MS, state: 'failed', durations: [bucketOfDuration(1), 1] });
    stats.add({
      atMs: NOON_MS + HOUR_MS - 1,
      state: 'running',
      durations: [bucketOfDuration(undefined), 1],
    });
    stats.add({ atMs: NOON_MS + HOUR_MS, state: 'failed', durations: [bucketOfDuration(3), 1] });
    stats.add({
      atMs: NOON_MS + 2 * HOUR_MS,
      state: 'failed',
      durations: [bucketOfDuration(1), 1],
    });
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

  test('give p50 and p95', () => {
    const [bucket] = statsOf(Array.from({ length: 100 }, (_, at) => 100 - at)).result();
    expect(bucket?.duration).toEqual({
      p50Ms: durationOfBucket(bucketOfDuration(50)),
      p95Ms: durationOfBucket(bucketOfDuration(95)),
    });
  });

  test('give the percentiles by the nearest rank, within the width of a bucket', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 300 }), (durations) => {
        const sorted = durations.toSorted((a, b) => a - b);
        const exact = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
        const { p50Ms = -1, p95Ms = -1 } = statsOf(durations).result()[0]?.duration ?? {};
        expect(Math.abs(p50Ms - exact(0.5))).toBeLessThanOrEqual(0.07 * exact(0.5));
        expect(Math.abs(p95Ms - exact(0.95))).toBeLessThanOrEqual(0.07 * exact(0.95));
      }),
    );
  });

  test('take back what was counted as lost, when its agent has proved what became of it', () => {
    const stats = statsOf([]);
    stats.add({ atMs: NOON_MS, state: 'lost', durations: [-1, 1] });
    stats.add({ atMs: NOON_MS, state: 'lost', durations: [-1, -1] });
    stats.add({ atMs: NOON_MS, state: 'succeeded', durations: [5, 1] });
    expect(stats.result()[0]).toMatchObject({ states: new Map([['succeeded', 1]]), duration: { p50Ms: 5 } });
  });
});
