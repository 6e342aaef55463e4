/** A sum over several reporters, and a promise that settles when it reaches a figure. */
export class Tally {
  readonly #timeoutMs: number;
  readonly #counts: number[] = [];
  #onChange = () => {};

  /** @param timeoutMs the longest wait in `reaches` */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  set(who: number, count: number): void {
    this.#counts[who] = count;
    this.#onChange();
  }

  /** Settles when the sum is this; one waits at a time. */
  reaches(wanted: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      const after = `after ${this.#timeoutMs / 1_000} s`;
      reject(new Error(`${this.#sum()} instead of ${wanted} ${after}`));
    };
    const timer = setTimeout(giveUp, this.#timeoutMs);
    this.#onChange = () => {
      if (this.#sum() === wanted) resolve();
    };
    this.#onChange();
    return promise.finally(() => clearTimeout(timer));
  }

  #sum(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }
}
