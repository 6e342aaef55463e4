/** So many agents are let in at a time: more would only wait for the store, each with all that it has announced. */
const AT_ONCE = 64;

/**
 * Where agents wait that say hello. After a hub was away they all come at once, and one that has waited too long hangs up and
 * comes again: what nobody waits for any more is not begun, so that those who wait get their turn.
 */
export class AdmissionControl {
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  /** Does the work when it is its turn; undefined when nobody wanted it any more by then. */
  async admit<Result>(isWanted: () => boolean, work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#busy >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#busy += 1;
    try {
      return isWanted() ? await work() : undefined;
    } finally {
      // The place goes on to the next one, or is free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy -= 1;
      else next();
    }
  }
}
