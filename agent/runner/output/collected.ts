const FIRST_CAPACITY = 16 * 1024;
const PIECE_BYTES = 64 * 1024;

interface Run {
  readonly isStdout: boolean;
  bytes: number;
}

/**
 * The output of a command with a transform, buffered until the transform result is known: all of it in the order of
 * arrival, with the parts that are stdout. Bytes beyond the limit of a stream are counted and dropped.
 */
export class CollectingSink {
  readonly #limits: { readonly stdout: number; readonly stderr: number };
  readonly #runs: Run[] = [];
  readonly #kept = { stdout: 0, stderr: 0 };
  #buffer = new Uint8Array(FIRST_CAPACITY);
  #length = 0;
  readonly #dropped = { stdout: 0, stderr: 0 };

  constructor(limits: { readonly stdout: number; readonly stderr: number }) {
    this.#limits = limits;
  }

  add(from: 'stdout' | 'stderr', chunk: Uint8Array<ArrayBuffer>): void {
    const kept = chunk.subarray(0, this.#limits[from] - this.#kept[from]);
    this.#dropped[from] += chunk.length - kept.length;
    if (kept.length === 0) return;
    this.#kept[from] += kept.length;
    this.#append(kept);
    this.#note(from === 'stdout', kept.length);
  }

  hasRoomForStdout(bytes: number): boolean {
    return this.#kept.stdout + bytes <= this.#limits.stdout;
  }

  /** Undefined if stdout exceeded its limit. */
  stdout(): Uint8Array<ArrayBuffer> | undefined {
    if (this.#dropped.stdout > 0) return undefined;
    const stdout = new Uint8Array(this.#kept.stdout);
    let from = 0;
    let to = 0;
    for (const { isStdout, bytes } of this.#runs) {
      if (isStdout) {
        stdout.set(this.#buffer.subarray(from, from + bytes), to);
        to += bytes;
      }
      from += bytes;
    }
    return stdout;
  }

  /** The buffered output in pieces, with a final line that reports the dropped bytes (decision 26, limits). */
  *merged(): Generator<Uint8Array<ArrayBuffer>> {
    for (let at = 0; at < this.#length; at += PIECE_BYTES) {
      yield this.#buffer.slice(at, Math.min(at + PIECE_BYTES, this.#length));
    }
    const dropped = this.#dropped.stdout + this.#dropped.stderr;
    if (dropped > 0) yield new TextEncoder().encode(`\n[svc: ${dropped} bytes of output were not kept]\n`);
  }

  #append(bytes: Uint8Array<ArrayBuffer>): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes, this.#length);
    this.#length = needed;
  }

  #note(isStdout: boolean, bytes: number): void {
    const last = this.#runs.at(-1);
    if (last?.isStdout === isStdout) last.bytes += bytes;
    else this.#runs.push({ isStdout, bytes });
  }
}
