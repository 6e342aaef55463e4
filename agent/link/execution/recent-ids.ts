/**
 * The ids that were added last: at least `most` of them, and at most twice as many.
 *
 * In two halves, of which the older goes at once: a `Set` that loses its oldest member with each new one is slow to find it,
 * since it passes over all that it has lost.
 */
export class LruSet {
  readonly #most: number;
  #newer = new Set<string>();
  #older: ReadonlySet<string> = new Set();

  constructor(most: number) {
    this.#most = most;
  }

  has(id: string): boolean {
    return this.#newer.has(id) || this.#older.has(id);
  }

  add(id: string): void {
    this.#newer.add(id);
    if (this.#newer.size < this.#most) return;
    this.#older = this.#newer;
    this.#newer = new Set();
  }
}
