/** Serializes work on the same key, so that two requests of this process do not compete for one compare-and-set. */
export class KeyedMutex {
  /** The last operation in progress, by key. */
  readonly #last = new Map<string, Promise<unknown>>();

  async take<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return await work();
    })();
    this.#last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
