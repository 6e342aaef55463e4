/**
 * Room for pieces of bytes that go in the order in which they came. The same memory is used over and over: pieces that lived
 * for a while and were given to the garbage collector would lie about until it goes through all that is old.
 */
export class ByteRing {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  #pieces = 0;
  /** Where the oldest piece begins, and where the next one may. */
  #oldest = 0;
  #next = 0;
  /** Where the lap of the oldest piece ends, while newer ones have begun another. */
  #lapEnd: number | undefined;

  constructor(length: number) {
    this.#bytes = new Uint8Array(length);
  }

  /** Room in one piece, with whatever it held last; undefined where there is none. */
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

  /** Of the oldest piece: nobody may look at it any more. */
  giveBack({ length }: Uint8Array): void {
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
