import { RecentMap } from '@svc/core/recent-map';
import type { Clock } from '../platform/world.ts';

/** How long a request waits for the one before it. The agent repeats one that is lost after a second. */
const WAIT_MS = 5_000;
const FILES_KEPT = 1_000;

interface Growing {
  length: number;
  readonly waiting: Set<() => void>;
}

/**
 * Puts the requests of an upload in order. An agent sends the next bytes before the last ones are confirmed, and requests overtake each
 * other.
 */
export class AppendOrder {
  readonly #clock: Clock;
  readonly #files = new RecentMap<string, Growing>(FILES_KEPT);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The file has `length` bytes now. Bytes that begin there have their turn. */
  reached(name: string, length: number): void {
    const file = this.#files.get(name) ?? { length, waiting: new Set() };
    file.length = length;
    this.#files.set(name, file);
    for (const wake of file.waiting) wake();
  }

  /** Resolves when bytes at `offset` have their turn, or when it is not worth waiting any longer. */
  async turn(name: string, offset: number): Promise<void> {
    const untilMs = this.#clock.nowMs() + WAIT_MS;
    const file = this.#files.get(name);
    while (file !== undefined && file.length < offset && this.#clock.nowMs() < untilMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      file.waiting.add(resolve);
      const forget = this.#clock.at(untilMs, resolve);
      await promise;
      forget();
      file.waiting.delete(resolve);
    }
  }
}
