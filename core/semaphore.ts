/** A semaphore: admits a number of callers at a time, the others in order of arrival. */
export class Semaphore {
  #room: number;
  readonly #waiting: (() => void)[] = [];

  constructor(permits: number) {
    this.#room = permits;
  }

  /** Resolves with the release function, which is called once. */
  async enter(): Promise<() => void> {
    if (this.#room > 0) this.#room -= 1;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    return () => this.#release();
  }

  /** Passes the permit directly to the next waiter. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#room += 1;
    else next();
  }
}
