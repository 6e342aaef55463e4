/**
 * The capacity recently added ids: at least `capacity` of them, and at capacity twice as many.
 *
 * Two generations, of which the older is dropped as a whole. A `Set` that deletes its oldest member with each addition is
 * slow to find that member, because it skips all deleted ones.
 */
export class LruSet {
  readonly #capacity: number;
  #newer = new Set<string>();
  #older: ReadonlySet<string> = new Set();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  has(id: string): boolean {
    return this.#newer.has(id) || this.#older.has(id);
  }

  add(id: string): void {
    this.#newer.add(id);
    if (this.#newer.size < this.#capacity) return;
    this.#older = this.#newer;
    this.#newer = new Set();
  }
}
