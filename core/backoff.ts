/** Waits that double with each failed attempt, from the first to the longest. */
export interface BackoffRange {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The wait after one more than `failed` attempts in a row. */
export function backoffMs({ firstMs, longestMs }: BackoffRange, failed: number): number {
  return Math.min(firstMs * 2 ** failed, longestMs);
}

/** The waits of one connection. */
export class Backoff {
  readonly #range: BackoffRange;
  readonly #vary: (waitMs: number) => number;
  #failed = 0;

  /** @param vary makes each wait random, so that many clients do not all reconnect at once */
  constructor(range: BackoffRange, vary: (waitMs: number) => number) {
    this.#range = range;
    this.#vary = vary;
  }

  /** The next wait, each one from a longer range than the one before. */
  nextMs(): number {
    const waitMs = backoffMs(this.#range, this.#failed);
    this.#failed += 1;
    return this.#vary(waitMs);
  }

  reset(): void {
    this.#failed = 0;
  }
}
