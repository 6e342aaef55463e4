import { ByteRing } from './byte-ring.ts';
import { cutMarker } from './cut-marker.ts';
import { countEvents } from './split-frame.ts';
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

/** The extra room of the tail: the last frame may be longer by a quarter, and a lap may end with as much unused. */
const RING_SHARE = 1.5;

const encoder = new TextEncoder();

/**
 * Decides which part of an execution's output is stored: its head, its tail, and a marker between (decision 26, limits).
 *
 * Pieces of the head are stored as they arrive. The tail is buffered until the end is known; a piece that falls out of it
 * is dropped, and only then may it be acknowledged: output that is acknowledged to the agent is stored or visibly cut.
 */
export class KeptOutput<P extends OutputPiece> {
  readonly #limits: KeptLimits;
  #headBytes: number;
  #tail: P[] = [];
  /** The bytes of the tail, in reused memory. */
  #ring: ByteRing | undefined;
  /** The index in `#tail` of the first piece that is not dropped. */
  #first = 0;
  #tailBytes = 0;
  #isHeadFull = false;
  #cutBytes = 0;
  #cutLines = 0;
  #cutSeq = 0;
  /** An earlier hub dropped pieces that this one never had. */
  #isCutUnknown = false;

  /** @param storedBytes of the head, when an earlier hub has stored some */
  constructor(limits: KeptLimits, storedBytes = 0) {
    this.#limits = limits;
    this.#headBytes = storedBytes;
  }

  /** The last dropped sequence number; 0 for none. */
  get cutSeq(): number {
    return this.#cutSeq;
  }

  /** The number of dropped bytes. */
  get cutBytes(): number {
    return this.#cutBytes;
  }

  /** Copies of the pieces that are neither stored nor dropped. */
  get pieces(): P[] {
    return this.#tail.slice(this.#first).map((piece) => ({ ...piece, sse: piece.sse.slice() }));
  }

  /** Whether to store the piece now; otherwise its bytes are copied. */
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

  /** Records that an earlier hub dropped everything before `seq`. */
  skipTo(seq: number): void {
    this.#isHeadFull = true;
    this.#isCutUnknown = true;
    this.#cutSeq = seq - 1;
  }

  /** The pieces to store with the end: the marker, in place of the last dropped piece, and the tail. */
  end(): readonly OutputPiece[] {
    return this.#cutSeq === 0 ? this.pieces : [{ seq: this.#cutSeq, sse: this.#marker() }, ...this.pieces];
  }

  /** A piece without room, such as one longer than the tail, gets its own memory. */
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
      if (this.#ring?.has(oldest.sse)) this.#ring.release(oldest.sse);
      this.#cutBytes += oldest.sse.length;
      this.#cutLines += countEvents(oldest.sse);
      this.#cutSeq = oldest.seq;
      this.#first += 1;
    }
    if (this.#first <= this.#tail.length / 2) return;
    this.#tail = this.#tail.slice(this.#first);
    this.#first = 0;
  }

  #marker(): Uint8Array {
    const cut = this.#isCutUnknown ? undefined : { bytes: this.#cutBytes, lines: this.#cutLines };
    return encoder.encode(encodeEvent({ type: 'output', data: cutMarker(cut) }));
  }
}
