import { ByteRing } from './byte-ring.ts';
import { encodeEvent } from './sse.ts';

/** A numbered piece of an execution's event stream. */
export interface OutputPiece {
  readonly seq: number;
  readonly sse: Uint8Array;
}

export interface KeptLimits {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** Of the tail: the last frame may be longer by a quarter, and at the end of a lap as much is left over. */
const RING_SHARE = 1.5;

const encoder = new TextEncoder();

/**
 * Decides what of an execution's output stays on record: its head, its tail, and a marker between (decision 26).
 *
 * Pieces of the head are to be stored as they come. The tail is held until the end is known; a piece that falls out of it
 * is given up, and only then may it be acknowledged: what the agent was told is safe is on record or was cut visibly.
 */
export class KeptOutput<P extends OutputPiece> {
  readonly #limits: KeptLimits;
  #headBytes: number;
  #tail: P[] = [];
  /** Has the bytes of the tail, so that those of what passes through it are garbage at once. */
  #ring: ByteRing | undefined;
  /** What is before it in `#tail` has been given up. */
  #first = 0;
  #tailBytes = 0;
  #isHeadFull = false;
  #cutBytes = 0;
  #cutSeq = 0;

  /** @param storedBytes of the head, when an earlier hub has stored some */
  constructor(limits: KeptLimits, storedBytes = 0) {
    this.#limits = limits;
    this.#headBytes = storedBytes;
  }

  /** The last sequence number that was given up; 0 for none. */
  get cutSeq(): number {
    return this.#cutSeq;
  }

  /** How many bytes have been given up. */
  get cutBytes(): number {
    return this.#cutBytes;
  }

  /** The pieces that are neither stored nor given up; copies, which stay as they are. */
  get held(): P[] {
    return this.#tail.slice(this.#first).map((piece) => ({ ...piece, sse: piece.sse.slice() }));
  }

  /** Whether to store the piece now; of another one the bytes are copied. */
  add(piece: P): boolean {
    if (!this.#isHeadFull && this.#headBytes + piece.sse.length <= this.#limits.headBytes) {
      this.#headBytes += piece.sse.length;
      return true;
    }
    this.#isHeadFull = true;
    this.#tail.push(this.#moved(piece));
    this.#tailBytes += piece.sse.length;
    this.#giveUpOldest();
    return false;
  }

  /** Notes that what is before `seq` will not come any more, since an earlier hub had given it up. */
  skipTo(seq: number): void {
    this.#isHeadFull = true;
    this.#cutSeq = seq - 1;
  }

  /** What is stored with the end: the marker, in place of the last piece that was given up, and the tail. */
  end(): readonly OutputPiece[] {
    return this.#cutSeq === 0 ? this.held : [{ seq: this.#cutSeq, sse: this.#marker() }, ...this.held];
  }

  /** Where there is no room, as for a piece that is longer than the tail, it gets memory of its own. */
  #moved(piece: P): P {
    this.#ring ??= new ByteRing(Math.ceil(this.#limits.tailBytes * RING_SHARE));
    const room = this.#ring.take(piece.sse.length) ?? new Uint8Array(piece.sse.length);
    room.set(piece.sse);
    return { ...piece, sse: room };
  }

  #giveUpOldest(): void {
    for (;;) {
      const oldest = this.#tail[this.#first];
      if (oldest === undefined || this.#tailBytes - oldest.sse.length < this.#limits.tailBytes) break;
      this.#tailBytes -= oldest.sse.length;
      if (this.#ring?.has(oldest.sse)) this.#ring.giveBack(oldest.sse);
      this.#cutBytes += oldest.sse.length;
      this.#cutSeq = oldest.seq;
      this.#first += 1;
    }
    if (this.#first <= this.#tail.length / 2) return;
    this.#tail = this.#tail.slice(this.#first);
    this.#first = 0;
  }

  #marker(): Uint8Array {
    const what = this.#cutBytes === 0 ? 'a part' : `${this.#cutBytes} bytes`;
    return encoder.encode(
      encodeEvent({ type: 'output', data: `[svc: ${what} of the stream cut here, over the limit]` }),
    );
  }
}
