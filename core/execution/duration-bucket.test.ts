import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { durationOfBucket } from './duration-bucket.ts';
import { bucketOfDuration } from './fixtures/bucket-of-duration.ts';

test('a duration below 16 ms is exact, a longer one within 7 %', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(200), fc.nat(2 ** 31 - 1), fc.nat(2 ** 35)), (durationMs) => {
      const restored = durationOfBucket(bucketOfDuration(durationMs));
      expect(Math.abs(restored - durationMs)).toBeLessThanOrEqual(durationMs < 16 ? 0 : 0.07 * durationMs);
    }),
  );
});

test('a longer duration is never in a lower bucket, and no bucket is left out', () => {
  const buckets = Array.from({ length: 100_000 }, (_, durationMs) => bucketOfDuration(durationMs));
  for (const [durationMs, bucket] of buckets.entries())
    expect(bucket - (buckets[durationMs - 1] ?? -1)).toBeOneOf([0, 1]);
});

test('executions that never ran have a bucket of their own, and the longest durations share the last', () => {
  expect([bucketOfDuration(undefined), bucketOfDuration(2 ** 36), bucketOfDuration(2 ** 50)]).toEqual([
    -1, 271, 271,
  ]);
});
