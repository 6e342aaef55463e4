import type { Clock } from '../ports/world.ts';

/** Another hub may have made a change that nobody here was told of. */
const LOOK_AGAIN_MS = 1_000;

export interface NextChange {
  /** Settles with the next change, with a call of `wake`, or after a second. */
  readonly happened: Promise<void>;
  readonly wake: () => void;
}

/** Tells those who wait for an execution to start, or to end without having run, that the store is worth a look. */
export class StateChanges {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** To be called after the commit. */
  changed(executionId: string): void {
    for (const wake of this.#waiting.get(executionId) ?? []) wake();
  }

  /** To be asked for before the look at the store, so that no change falls between the two. */
  next(executionId: string): NextChange {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wakers = this.#waiting.get(executionId) ?? new Set();
    this.#waiting.set(executionId, wakers);
    const wake = () => {
      withdraw();
      wakers.delete(wake);
      if (wakers.size === 0) this.#waiting.delete(executionId);
      resolve();
    };
    const withdraw = this.#clock.at(this.#clock.nowMs() + LOOK_AGAIN_MS, wake);
    wakers.add(wake);
    return { happened: promise, wake };
  }
}
