import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { allowCall } from './rate-limit.ts';

function allowedOf(times: readonly number[], perMinute: number): number[] {
  let fullAtMs: number | undefined;
  return times.filter((atMs) => {
    const decision = allowCall(fullAtMs, atMs, perMinute);
    if (decision.kind === 'allowed') fullAtMs = decision.fullAtMs;
    return decision.kind === 'allowed';
  });
}

test.each([1, 7, 60, 600])('of more calls at once exactly %p are allowed', (perMinute) => {
  expect(allowedOf(Array(perMinute + 5).fill(1_000_000), perMinute)).toHaveLength(perMinute);
});

test('a limited caller learns when the next call is allowed, and it is', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 0, max: 2_000_000_000 }),
      (perMinute, startMs) => {
        let fullAtMs: number | undefined;
        for (;;) {
          const decision = allowCall(fullAtMs, startMs, perMinute);
          if (decision.kind === 'limited') {
            const earliest = startMs + decision.retryAfterMs;
            expect(allowCall(fullAtMs, earliest - 1, perMinute).kind).toBe('limited');
            expect(allowCall(fullAtMs, earliest + 0.01, perMinute).kind).toBe('allowed');
            return;
          }
          fullAtMs = decision.fullAtMs;
        }
      },
    ),
  );
});

test('no minute passes more than twice the rate, and in the long run no more than the rate passes', () => {
  const every100ms = Array.from({ length: 6_000 }, (_, index) => index * 100);
  // Ten minutes at 600 calls a minute offered, 60 allowed: the first bucket and what refills.
  expect(allowedOf(every100ms, 60)).toHaveLength(60 + 600 - 1);
});
