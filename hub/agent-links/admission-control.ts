/** The number of agents admitted at once. More would only wait for the store, each holding its announced definitions in memory. */
const MAX_ADMITTING = 64;

/**
 * Queues the hellos of agents. After an outage of the hub all agents reconnect at once, and one that waits too long closes and
 * reconnects. Work for a closed connection is skipped, so that the others are admitted.
 */
export class AdmissionControl {
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** Does the work when a slot is free; undefined when the connection was closed by then. */
  async admit<Result>(isWanted: () => boolean, work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#busy >= MAX_ADMITTING) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy += 1;
    try {
      return isWanted() ? await work() : undefined;
    } finally {
      // The slot goes to the next waiting agent, or is free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }
}
