/** Work on the same thing, one after the other: whoever would lose a compare-and-set to this very process waits instead. */
export class KeyedMutex {
  /** The last work that is under way, by what it is about. */
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
