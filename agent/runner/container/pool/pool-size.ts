const BUCKET_MS = 1_000;
/** How long a burst counts. */
const BUCKETS = 300;

/** The number of containers that should wait: the most taken within one second of the last five minutes, at least one. */
export class PoolSize {
  readonly #limit: number;
  readonly #nowMs: () => number;
  /** The number of takes by second, for the seconds with any. */
  readonly #taken = new Map<number, number>();

  constructor(limit: number, nowMs: () => number) {
    this.#limit = limit;
    this.#nowMs = nowMs;
  }

  recordTake(): void {
    const bucket = this.#bucket();
    this.#taken.set(bucket, (this.#taken.get(bucket) ?? 0) + 1);
    this.#forget(bucket - BUCKETS);
  }

  wanted(): number {
    this.#forget(this.#bucket() - BUCKETS);
    return Math.min(Math.max(1, ...this.#taken.values()), this.#limit);
  }

  #bucket(): number {
    return Math.floor(this.#nowMs() / BUCKET_MS);
  }

  /** A map keeps its keys in the order of insertion. */
  #forget(before: number): void {
    for (const bucket of this.#taken.keys()) {
      if (bucket > before) return;
      this.#taken.delete(bucket);
    }
  }
}
