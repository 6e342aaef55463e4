const FULL_BYTES = 64 * 1024;
const PAUSE_MS = 2;

/**
 * Joins small writes: the first bytes after a pause go out at once, what follows them within two milliseconds goes out
 * together. A message costs far more than a byte, and a line on its own must not wait.
 */
export class Batch {
  readonly #send: (bytes: Uint8Array<ArrayBuffer>) => void;
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #joinsAll = false;

  constructor(send: (bytes: Uint8Array<ArrayBuffer>) => void) {
    this.#send = send;
  }

  /** Whether everything is joined until it is full or flushed. */
  joins(all: boolean): void {
    this.#joinsAll = all;
  }

  /** The chunk is handed over: whoever pushed it does not use it again. */
  push(chunk: Uint8Array<ArrayBuffer>): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#joinsAll && this.#bytes < FULL_BYTES) return;
    const dueInMs = this.#sentAtMs + PAUSE_MS - performance.now();
    if (dueInMs <= 0 || this.#bytes >= FULL_BYTES) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), Math.ceil(dueInMs));
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#bytes === 0) return;
    const bytes = join(this.#chunks, this.#bytes);
    this.#chunks = [];
    this.#bytes = 0;
    this.#sentAtMs = performance.now();
    this.#send(bytes);
  }
}

function join(chunks: readonly Uint8Array<ArrayBuffer>[], bytes: number): Uint8Array<ArrayBuffer> {
  const [only] = chunks;
  if (chunks.length === 1 && only !== undefined) return only;
  const joined = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
