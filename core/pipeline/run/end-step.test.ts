import { expect, test } from 'bun:test';
import { retryDelayMs } from './end-step.ts';
import { STEP_OUTCOMES } from './state.ts';

const delays = (backoffSec: number, attempts: readonly number[], limit = 10) =>
  attempts.map((attempt) => retryDelayMs({ limit, backoffSec }, { outcome: 'failed', attempt }));

test('each wait is twice as long as the one before, up to an hour, and there are as many as the limit says', () => {
  expect(delays(5, [1, 2, 3, 4])).toEqual([5_000, 10_000, 20_000, 40_000]);
  expect(delays(1_000, [1, 2, 3, 10])).toEqual([1_000_000, 2_000_000, 3_600_000, 3_600_000]);
  expect(delays(0, [1, 2])).toEqual([0, 0]);
  expect(delays(1, [1, 2, 3], 2)).toEqual([1_000, 2_000, undefined]);
});

test('only what another try may change is tried again', () => {
  const retried = STEP_OUTCOMES.filter(
    (outcome) => retryDelayMs({ limit: 1, backoffSec: 1 }, { outcome, attempt: 1 }) !== undefined,
  );
  expect(retried).toEqual(['failed', 'timed_out', 'rejected']);
  expect(retryDelayMs(undefined, { outcome: 'failed', attempt: 1 })).toBeUndefined();
});
