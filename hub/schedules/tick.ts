import type { Clock } from '../platform/world.ts';

const MINUTE_MS = 60_000;
/** A failed run is repeated after this time; a fire must start within a minute. */
const RETRY_MS = 1_000;

/** Returns a time before the next minute for another call. */
type Work = () => Promise<number | undefined>;

/**
 * Calls `work` now and at the beginning of each minute, one call after another, until the returned function is called; that
 * one settles when the last call has ended.
 */
export function tickEachMinute(
  clock: Clock,
  work: Work,
  onProblem: (error: unknown) => void,
): () => Promise<void> {
  let isOver = false;
  let withdraw = () => {};
  let current = Promise.resolve();
  const tick = async () => {
    const nextMs = nextMinute(clock.nowMs());
    const soonerMs = await work().catch((error: unknown) => {
      if (!isOver) onProblem(error);
      return clock.nowMs() + RETRY_MS;
    });
    if (isOver) return;
    // If a minute has begun meanwhile, the next call is due at once. The wait is bounded, because the clock may have been
    // set back.
    const minuteMs = Math.min(nextMs, nextMinute(clock.nowMs()));
    withdraw = clock.at(Math.min(soonerMs ?? minuteMs, minuteMs), run);
  };
  const run = () => {
    current = tick();
  };
  run();
  return () => {
    isOver = true;
    withdraw();
    return current;
  };
}

function nextMinute(afterMs: number): number {
  return (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
}
