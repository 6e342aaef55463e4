import type { Clock } from '../platform/world.ts';

const MINUTE_MS = 60_000;
/** A failed run is tried again after this time: a fire has a minute. */
const RETRY_MS = 1_000;

/** Returns a time before the next minute at which it wants to be called again. */
type Work = () => Promise<number | undefined>;

/**
 * Calls `work` now and as each minute begins, one call after another, until the returned function is called; that settles
 * when the last one has ended.
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
    // A minute that has begun meanwhile is due at once. The wait is bounded, because the clock may have been set back.
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
