import type { Clock } from './world.ts';

/**
 * Runs the work repeatedly. The next run is timed from the end of the previous one; `later`: the first run is not
 * immediate.
 */
export function repeat(
  clock: Clock,
  everyMs: number,
  work: () => Promise<unknown>,
  onProblem: (error: unknown) => void,
  first: 'at once' | 'later' = 'at once',
): () => void {
  let isOver = false;
  let withdraw = () => {};
  const wait = () => {
    if (!isOver) withdraw = clock.at(clock.nowMs() + everyMs, run);
  };
  const run = () =>
    work()
      .catch((error: unknown) => {
        if (!isOver) onProblem(error);
      })
      .finally(wait);
  if (first === 'at once') void run();
  else wait();
  return () => {
    isOver = true;
    withdraw();
  };
}
