import type { Clock } from '../platform/world.ts';

/** When a response ends although its execution goes on (decision 19, the cap on a response). */
export interface ResponseCap {
  readonly afterSec: number;
  /** The time counts from here: the caller has sent its body. Absent: from now. */
  readonly since?: Promise<void> | undefined;
}

/** Calls `end` at the cap, unless the returned function was called before. */
export function capLater(clock: Clock, { afterSec, since }: ResponseCap, end: () => void): () => void {
  let isOver = false;
  let withdraw = () => {};
  const begin = () => {
    if (!isOver) withdraw = clock.at(clock.nowMs() + afterSec * 1000, end);
  };
  if (since === undefined) begin();
  else void since.then(begin);
  return () => {
    isOver = true;
    withdraw();
  };
}
