/** Background writes. Only a hub that stops waits for them: it closes its store afterwards. */
export class Errands {
  readonly #reportBug: (error: unknown) => unknown;
  readonly #underWay = new Set<Promise<void>>();
  #isOver = false;

  constructor(reportBug: (error: unknown) => unknown) {
    this.#reportBug = reportBug;
  }

  run(work: () => Promise<unknown>): void {
    if (this.#isOver) return;
    const errand: Promise<void> = work()
      .then(() => undefined)
      .catch((error: unknown) => {
        if (!this.#isOver) this.#reportBug(error);
      })
      .finally(() => this.#underWay.delete(errand));
    this.#underWay.add(errand);
  }

  /** Settles when none is under way, also of those that begin meanwhile. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** The store is about to be closed: nothing begins any more, and what is still under way fails because of that. */
  end(): void {
    this.#isOver = true;
  }
}
