import { changedBy, STATE_EVENTS } from '@svc/core/event/state-change';
import type { EventStream } from '../../platform/event-stream.ts';
import type { Clock } from '../../platform/world.ts';

/** The interval of polls for changes of other hubs whose message was lost. */
const POLL_MS = 1_000;

export interface NextChange {
  /** Resolves with the next change, with a call of `wake`, or when the next poll is due. */
  readonly happened: Promise<void>;
  readonly wake: () => void;
}

/** The callers that wait until the state of an execution or pipeline run changes in the store, at this hub or another. */
export class ChangeWaiters {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  subscribe(stream: EventStream): void {
    stream.subscribe(STATE_EVENTS, (event) => this.#wake(changedBy(event)));
    stream.subscribe('changed_elsewhere', ({ ids }) => {
      for (const id of ids) this.#wake(id);
    });
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

  #wake(id: string): void {
    for (const wake of this.#waiting.get(id) ?? []) wake();
  }
}
