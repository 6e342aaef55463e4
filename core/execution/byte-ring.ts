/**
 * A ring buffer for pieces of bytes that are released in order of arrival. It reuses its memory: pieces that live for a
 * while would stay until the garbage collector visits all old objects.
 */
export class ByteRing {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #pieces = 0;
  /** The start of the oldest piece, and of the next one. */
  #oldest = 0;
  #next = 0;
  /** The end of the lap of the oldest piece, while newer pieces are in the next lap. */
  #lapEnd: number | undefined;

  constructor(length: number) {
    this.#bytes = new Uint8Array(length);
  }

  /** Contiguous room, with its old content; undefined if there is none. */
  take(length: number): Uint8Array<ArrayBuffer> | undefined {
    if (this.#pieces === 0) this.#restart();
    if (this.#lapEnd === undefined && this.#next + length > this.#bytes.length) {
      this.#lapEnd = this.#next;
      this.#next = 0;
    }
    const end = this.#next + length;
    if (end > (this.#lapEnd === undefined ? this.#bytes.length : this.#oldest)) return undefined;
    const piece = this.#bytes.subarray(this.#next, end);
    this.#next = end;
    this.#pieces += 1;
    return piece;
  }

  has({ buffer }: Uint8Array): boolean {
    return buffer === this.#bytes.buffer;
  }

  /** Releases the oldest piece, which must no longer be used. */
  release({ length }: Uint8Array): void {
    this.#pieces -= 1;
    this.#oldest += length;
    if (this.#oldest !== this.#lapEnd) return;
    this.#oldest = 0;
    this.#lapEnd = undefined;
  }

  #restart(): void {
    this.#oldest = 0;
    this.#next = 0;
    this.#lapEnd = undefined;
  }
}
