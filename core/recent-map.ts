/**
 * At most `max` entries, and always the half of them that was used last: for what is worth remembering, and nothing depends on.
 *
 * Two generations, of which the older is dropped as a whole. A `Map` that deletes its oldest entry with each new one is slow
 * to find it, because it passes over all deleted ones.
 */
export class RecentMap<Key, Value extends {}> {
  readonly #generation: number;
  #newer = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  constructor(max: number) {
    this.#generation = Math.ceil(max / 2);
  }

  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#newer.get(key);
    if (value !== undefined) return value;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    this.#older.delete(key);
    this.#newer.set(key, value);
    if (this.#newer.size < this.#generation) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  /** Removes an entry and returns it. */
  take(key: Key): Value | undefined {
    const value = this.#newer.get(key) ?? this.#older.get(key);
    this.#newer.delete(key);
    this.#older.delete(key);
    return value;
  }

  takeWhere(matches: (value: Value) => boolean): void {
    for (const generation of [this.#newer, this.#older])
      for (const [key, value] of generation) if (matches(value)) generation.delete(key);
  }

  clear(): void {
    this.#newer = new Map();
    this.#older = new Map();
  }
}
