import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { Timers } from '../timers.ts';

export interface Pulse {
  ping(n: number): void;
  /** Called when nothing has arrived for so long that the link must be half open. */
  died(): void;
}

/**
 * Pings every 10 s; two misses, and the link is dead (decision 30, liveness).
 *
 * Every received frame counts as a sign of life, not only the pong: on a slow line the pong waits behind output.
 */
export class Heartbeat {
  readonly #timers: Timers;
  readonly #pulse: Pulse;
  #withdraw: () => void;
  #sent = 0;
  #missed = 0;

  constructor(timers: Timers, pulse: Pulse) {
    this.#timers = timers;
    this.#pulse = pulse;
    this.#withdraw = this.#schedule();
  }

  onFrame(): void {
    this.#missed = 0;
  }

  stop(): void {
    this.#withdraw();
  }

  #schedule(): () => void {
    return this.#timers.after(LINK_LIMITS.pingMs, () => this.#ping());
  }

  #ping(): void {
    if (this.#missed === LINK_LIMITS.missedPings) {
      this.#pulse.died();
      return;
    }
    this.#missed += 1;
    this.#sent += 1;
    this.#withdraw = this.#schedule();
    this.#pulse.ping(this.#sent);
  }
}
