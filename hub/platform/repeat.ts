import type { Clock } from './world.ts';

/** CoalescingRunner and again, the next time counted from the end of the last; `later`: not at once. */
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
