/** A map that forgets what was put in first when it is full: for what is worth remembering, and nothing depends on. */
export class LruMap<Key, Value> {
  readonly #most: number;
  readonly #entries = new Map<Key, Value>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#entries.size >= this.#most && !this.#entries.has(key)) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
    this.#entries.set(key, value);
  }

  /** Removes an entry and returns it. */
  take(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    this.#entries.delete(key);
    return value;
  }
}
