/** Short transfers end before a person could read their progress. */
const SHOWN_FROM_BYTES = 1024 * 1024;
const REFRESH_MS = 100;

interface ProgressStream {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

interface ProgressOptions {
  readonly label: string;
  /** In bytes; undefined when it is not known. */
  readonly total?: number | undefined;
  readonly stream?: ProgressStream;
  readonly nowMs?: () => number;
}

/**
 * The progress of a transfer, in one line that is removed at the end: the bytes and the rate since the start. Shown on a terminal only.
 *
 * NOTE: The line is erased with spaces, because the filter of terminals drops sequences that erase (`guardTerminals`).
 */
export class Progress implements Disposable {
  readonly #label: string;
  readonly #total: number | undefined;
  readonly #stream: ProgressStream;
  readonly #nowMs: () => number;
  readonly #startMs: number;
  #bytes = 0;
  #shownMs = Number.NEGATIVE_INFINITY;
  #width = 0;

  constructor({ label, total, stream = process.stderr, nowMs = () => performance.now() }: ProgressOptions) {
    this.#label = label;
    this.#total = total;
    this.#stream = stream;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#stream.isTTY !== true || this.#bytes < SHOWN_FROM_BYTES) return;
    const now = this.#nowMs();
    if (now - this.#shownMs < REFRESH_MS) return;
    this.#shownMs = now;
    this.#show(`${this.#label}  ${this.#amount()}  ${megabytes(this.#rate(now))}/s`);
  }

  #amount(): string {
    if (this.#total === undefined) return megabytes(this.#bytes);
    const percent = Math.min(100, Math.floor((this.#bytes * 100) / Math.max(1, this.#total)));
    return `${megabytes(this.#bytes)} of ${megabytes(this.#total)}  ${percent} %`;
  }

  #rate(now: number): number {
    return (this.#bytes * 1000) / Math.max(1, now - this.#startMs);
  }

  #show(text: string): void {
    this.#stream.write(`\r${text.padEnd(this.#width)}`);
    this.#width = text.length;
  }

  [Symbol.dispose](): void {
    if (this.#width > 0) this.#stream.write(`\r${' '.repeat(this.#width)}\r`);
    this.#width = 0;
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
