import { LINK_LIMITS } from '@svc/core/protocol/limits';

/**
 * The delay before the next attempt: a random moment in a window that doubles from 1 s to 15 s (decision 30, liveness), so
 * that the agents of a restarted hub do not all reconnect at once.
 */
export class Backoff {
  readonly #random: () => number;
  #tries = 0;

  /** @param random uniform from 0 up to 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  nextMs(): number {
    const { reconnectFirstMs, reconnectMostMs } = LINK_LIMITS;
    const windowMs = Math.min(reconnectFirstMs * 2 ** this.#tries, reconnectMostMs);
    this.#tries += 1;
    return this.#random() * windowMs;
  }

  reset(): void {
    this.#tries = 0;
  }
}
