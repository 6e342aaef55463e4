/** Runs work that is requested often: one run at a time, and one more when a request came during the run. */
export class CoalescingRunner {
  readonly #work: () => Promise<unknown>;
  readonly #reportBug: (error: unknown) => unknown;
  #isRequested = false;
  #isUnderWay = false;

  constructor(work: () => Promise<unknown>, reportBug: (error: unknown) => unknown) {
    this.#work = work;
    this.#reportBug = reportBug;
  }

  ask(): void {
    this.#isRequested = true;
    if (!this.#isUnderWay) void this.#go();
  }

  async #go(): Promise<void> {
    this.#isUnderWay = true;
    while (this.#isRequested) {
      this.#isRequested = false;
      await this.#work().catch(this.#reportBug);
    }
    this.#isUnderWay = false;
  }
}
