import type { Clock } from '../../platform/world.ts';

/** The interval of polls for changes of other hubs whose message was lost. */
const POLL_MS = 1_000;

export interface NextChange {
  /** Resolves with the next change, with a call of `wake`, or when the next poll is due. */
  readonly happened: Promise<void>;
  readonly wake: () => void;
}

/**
 * Wakes waiters when the state of an execution or pipeline run may have changed in the store: it started, it ended without having
 * run, or the run continues.
 */
export class StateChanges {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #publishToHubs: ((id: string) => void) | undefined;
  #listener: (id: string) => void = () => undefined;

  /** @param publishToHubs sends a change of this hub to other hubs */
  constructor(clock: Clock, publishToHubs?: (id: string) => void) {
    this.#clock = clock;
    this.#publishToHubs = publishToHubs;
  }

  /** Reports a change of this hub; called after the commit. */
  changed(id: string): void {
    this.notify(id);
    this.#publishToHubs?.(id);
  }

  /** Reports a change of another hub. */
  notify(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
    this.#listener(id);
  }

  /** Sets the listener for all changes, of this hub and of others. */
  onChange(listener: (id: string) => void): void {
    this.#listener = listener;
  }

  /** The next change of an id. Call it before the store is read, so that no change between the two is missed. */
  next(id: string, pollMs = POLL_MS): NextChange {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wakers = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, wakers);
    const wake = () => {
      withdraw();
      wakers.delete(wake);
      if (wakers.size === 0) this.#waiting.delete(id);
      resolve();
    };
    const withdraw = this.#clock.at(this.#clock.nowMs() + pollMs, wake);
    wakers.add(wake);
    return { happened: promise, wake };
  }
}
