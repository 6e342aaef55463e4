const BUCKET_MS = 1_000;
/** How long a burst is remembered. */
const BUCKETS = 300;

/** How many containers should wait: as many as were taken within a second, at most, in the last five minutes; one at least. */
export class PoolSize {
  readonly #most: number;
  readonly #nowMs: () => number;
  /** Takes by second, for those seconds in which there were any. */
  readonly #taken = new Map<number, number>();

  constructor(most: number, nowMs: () => number) {
    this.#most = most;
    this.#nowMs = nowMs;
  }

  note(): void {
    const bucket = this.#bucket();
    this.#taken.set(bucket, (this.#taken.get(bucket) ?? 0) + 1);
    this.#forget(bucket - BUCKETS);
  }

  wanted(): number {
    this.#forget(this.#bucket() - BUCKETS);
    return Math.min(Math.max(1, ...this.#taken.values()), this.#most);
  }

  #bucket(): number {
    return Math.floor(this.#nowMs() / BUCKET_MS);
  }

  /** A map has its keys in the order in which they came. */
  #forget(before: number): void {
    for (const bucket of this.#taken.keys()) {
      if (bucket > before) return;
      this.#taken.delete(bucket);
    }
  }
}
