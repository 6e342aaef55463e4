import type { Clock } from '../../platform/world.ts';

/** Another hub may have made a change that nobody here was told of. */
const LOOK_AGAIN_MS = 1_000;

export interface NextChange {
  /** Settles with the next change, with a call of `wake`, or when it is time to look again. */
  readonly happened: Promise<void>;
  readonly wake: () => void;
}

/** Tells those who wait for an execution to start, or to end without having run, or for a pipeline run to go on, that the store is worth a look. */
export class StateChanges {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #tellOthers: ((id: string) => void) | undefined;
  #listener: (id: string) => void = () => undefined;

  /** @param tellOthers tells other hubs of a change that was made here */
  constructor(clock: Clock, tellOthers?: (id: string) => void) {
    this.#clock = clock;
    this.#tellOthers = tellOthers;
  }

  /** To be called after the commit. */
  changed(id: string): void {
    this.heard(id);
    this.#tellOthers?.(id);
  }

  /** The same of a change that another hub has made. */
  heard(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
    this.#listener(id);
  }

  /** Hears of every change that this hub makes, or is told of. */
  onChange(listener: (id: string) => void): void {
    this.#listener = listener;
  }

  /** To be asked for before the look at the store, so that no change falls between the two. */
  next(id: string, lookAgainMs = LOOK_AGAIN_MS): NextChange {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wakers = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, wakers);
    const wake = () => {
      withdraw();
      wakers.delete(wake);
      if (wakers.size === 0) this.#waiting.delete(id);
      resolve();
    };
    const withdraw = this.#clock.at(this.#clock.nowMs() + lookAgainMs, wake);
    wakers.add(wake);
    return { happened: promise, wake };
  }
}
