/** Randomness that can be had again: the same seed gives the same numbers. */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The seed that SVC_TEST_SEED sets; else the same in each run, and a new one with `npm test -- --long`. */
  static seed(isLong = process.env.SVC_TEST_LONG !== undefined): number {
    const { SVC_TEST_SEED } = process.env;
    if (SVC_TEST_SEED) return Number(SVC_TEST_SEED);
    return isLong ? Math.floor(Math.random() * 2 ** 32) : 20_261_123;
  }

  /** From 0 up to 1: mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `first` to `last`. */
  between(first: number, last: number): number {
    return first + Math.floor(this.next() * (last - first + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }
}
