import { ByteRing } from '@svc/core/execution/byte-ring';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { sequenceOf } from '@svc/core/protocol/output-frame';
import { DamagedOutput } from './segment.ts';
import type { Space } from './space.ts';
import { Spill, type SpillPosition } from './spill.ts';

/** A numbered message that the hub has not acknowledged: in memory or on disk. */
type Entry = { readonly seq: number; readonly length: number } & (
  | { readonly bytes: Uint8Array<ArrayBuffer>; readonly place: undefined }
  | { readonly bytes: undefined; readonly place: SpillPosition }
);

/** The bytes that fit into a line of the journal, so that the end of a short command needs no file. */
const INLINE_BYTES = 64 * 1024;

/** The number of messages from which a ring of memory pays off. Most commands never reach it. */
const RING_FROM_SEQ = 32;
/** The window that a hub may leave unacknowledged, plus the unused bytes at the end of a lap. */
const RING_BYTES = LINK_LIMITS.windowBytes + 2 * LINK_LIMITS.outputFrameBytes;

/**
 * The output of one execution, from its numbering to its acknowledgement (decision 29, numbered output, and calls between
 * hubs).
 *
 * The output stays in memory while there is room. When there is none, all waiting output moves to disk, and later output
 * goes there too. After a reconnect the agent sends unacknowledged messages again.
 */
export class UnsentOutput {
  readonly #space: Space;
  readonly #folder: string;
  /** By sequence number, without gaps. Messages before `#first` are acknowledged. */
  #entries: Entry[] = [];
  #first = 0;
  #lastSeq: number;
  #sentSeq: number;
  #bytes = 0;
  #sentBytes = 0;
  #spill: Spill | undefined;
  #isCut = false;
  #ring: ByteRing | undefined;
  /** The messages in the ring, by sequence number. */
  readonly #inRing = new Map<number, Uint8Array>();

  /** @param folder is made when the disk is needed */
  constructor(folder: string, space: Space, lastSeq = 0) {
    this.#folder = folder;
    this.#space = space;
    this.#lastSeq = lastSeq;
    this.#sentSeq = lastSeq;
  }

  /** Restores what `keep` of an earlier process returned and wrote to the folder. */
  static restore(
    folder: string,
    space: Space,
    kept: readonly string[] | undefined,
    lastSeq: number,
  ): UnsentOutput {
    const output = new UnsentOutput(folder, space, lastSeq);
    const entries = withoutGaps(kept === undefined ? output.#takeUpSpill() : kept.map(entryOf));
    for (const entry of entries) output.#add(entry);
    output.#lastSeq = entries.at(-1)?.seq ?? lastSeq;
    if (output.#lastSeq < lastSeq) output.#isCut = true;
    if (output.#isCut) space.damaged(new DamagedOutput(`${folder} does not have all output that was kept`));
    output.rewind(0);
    return output;
  }

  /** Some output on disk was damaged. The output ends before it and accepts no more. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  get isSent(): boolean {
    return this.#sentSeq === this.#lastSeq;
  }

  /** Whether the window is full. */
  get isWindowUsed(): boolean {
    return this.#bytes >= LINK_LIMITS.windowBytes;
  }

  /**
   * The buffer in which to write the next message before it is appended: reuses the memory of an acknowledged one if there
   * is any.
   */
  room(length: number): Uint8Array<ArrayBuffer> {
    if (this.#lastSeq >= RING_FROM_SEQ) this.#ring ??= new ByteRing(RING_BYTES);
    return this.#ring?.take(length) ?? new Uint8Array(length);
  }

  /** @param message carries the number `lastSeq + 1` */
  append(message: Uint8Array<ArrayBuffer>): void {
    if (this.#isCut) return;
    this.#lastSeq += 1;
    if (this.#ring?.has(message)) this.#inRing.set(this.#lastSeq, message);
    if (this.#spill === undefined && this.#space.overflows(message.length)) this.#tryToSpill();
    this.#add(this.#put(this.#lastSeq, message));
  }

  /** The next message to send; undefined if there is none or the window is full. */
  next(): Uint8Array<ArrayBuffer> | undefined {
    const entry = this.#nextEntry();
    if (entry === undefined || this.#sentBytes >= LINK_LIMITS.windowBytes) return undefined;
    return entry.place === undefined ? entry.bytes : this.#readOrCut(entry.seq, entry.place);
  }

  /** Marks the message of `next` as sent. */
  sent(): void {
    this.#sentBytes += this.#nextEntry()?.length ?? 0;
    this.#sentSeq += 1;
  }

  /** The hub has stored everything up to this number. */
  acknowledge(seq: number): void {
    for (;;) {
      const entry = this.#entries[this.#first];
      if (entry === undefined || entry.seq > seq) break;
      if (entry.seq <= this.#sentSeq) this.#sentBytes -= entry.length;
      else this.#sentSeq = entry.seq;
      this.#release(entry);
      this.#first += 1;
    }
    if (this.#first === this.#entries.length) this.#removeSpill();
    if (this.#first > this.#entries.length / 2) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }

  /** Marks everything after `storedSeq` as unsent, for a new connection. */
  rewind(storedSeq: number): void {
    this.acknowledge(storedSeq);
    this.#sentSeq = (this.#entries[this.#first]?.seq ?? this.#lastSeq + 1) - 1;
    this.#sentBytes = 0;
  }

  /**
   * Saves the output for a restart and returns the part for the journal. Undefined: it is all on disk. Throws if the disk
   * is full.
   */
  keep(): string[] | undefined {
    if (this.#spill === undefined && this.#bytes <= INLINE_BYTES) {
      return this.#entries.slice(this.#first).map(({ bytes }) => bytes?.toBase64() ?? '');
    }
    this.#spillAll();
    return undefined;
  }

  /** Deletes everything. */
  drop(): void {
    this.acknowledge(this.#lastSeq);
  }

  /** Closes the files and keeps them for the next process. */
  close(): void {
    this.#spill?.close();
  }

  #readOrCut(seq: number, place: SpillPosition): Uint8Array<ArrayBuffer> | undefined {
    try {
      return this.#spill?.read(place);
    } catch (cause) {
      if (!(cause instanceof DamagedOutput)) throw cause;
      this.#cutBefore(seq);
      this.#space.damaged(cause);
      return undefined;
    }
  }

  #cutBefore(seq: number): void {
    const first = this.#entries[this.#first]?.seq ?? seq;
    for (const entry of this.#entries.splice(this.#first + seq - first)) this.#release(entry);
    this.#lastSeq = seq - 1;
    this.#isCut = true;
  }

  #nextEntry(): Entry | undefined {
    const first = this.#entries[this.#first];
    return first && this.#entries[this.#first + this.#sentSeq + 1 - first.seq];
  }

  #add(entry: Entry): void {
    this.#entries.push(entry);
    this.#bytes += entry.length;
    if (entry.place === undefined) this.#space.takeMemory(entry.length);
    else this.#space.takeDisk(entry.length);
  }

  #release(entry: Entry): void {
    this.#bytes -= entry.length;
    this.#releaseRoom(entry.seq);
    if (entry.place === undefined) {
      this.#space.takeMemory(-entry.length);
    } else {
      this.#space.takeDisk(-entry.length);
      this.#spill?.release(entry.place);
    }
  }

  /** In the order of arrival, also for messages that have moved to disk. */
  #releaseRoom(seq: number): void {
    const room = this.#inRing.get(seq);
    if (room === undefined) return;
    this.#inRing.delete(seq);
    this.#ring?.release(room);
  }

  /** Stores a message on disk once the disk is in use, unless it is full. */
  #put(seq: number, bytes: Uint8Array<ArrayBuffer>): Entry {
    const { length } = bytes;
    try {
      const place = this.#spill?.append(bytes);
      if (place !== undefined) return { seq, length, bytes: undefined, place };
    } catch (cause) {
      this.#space.diskFailed(cause);
      // The message stays in memory beyond the limit. `Space.isFull` is then true, and commands wait for acknowledgements.
    }
    return { seq, length, bytes, place: undefined };
  }

  #tryToSpill(): void {
    try {
      this.#spillAll();
    } catch (cause) {
      this.#space.diskFailed(cause);
    }
  }

  #spillAll(): void {
    this.#spill ??= new Spill(this.#folder);
    for (const [index, entry] of this.#entries.entries()) {
      if (index < this.#first || entry.place !== undefined) continue;
      const { seq, length } = entry;
      const place = this.#spill.append(entry.bytes);
      this.#space.takeMemory(-length);
      this.#space.takeDisk(length);
      this.#entries[index] = { seq, length, bytes: undefined, place };
    }
  }

  #takeUpSpill(): Entry[] {
    const { spill, messages, isDamaged } = Spill.open(this.#folder);
    this.#spill = spill;
    this.#isCut = isDamaged;
    return messages.map(({ place, bytes }) => ({
      seq: sequenceOf(bytes),
      length: bytes.length,
      bytes: undefined,
      place,
    }));
  }

  #removeSpill(): void {
    this.#spill?.remove();
    this.#spill = undefined;
  }
}

function entryOf(base64: string): Entry {
  const bytes = Uint8Array.fromBase64(base64);
  return { seq: sequenceOf(bytes), length: bytes.length, bytes, place: undefined };
}

/** The messages in order. Only a machine crash leaves a gap; messages before it are dropped. */
function withoutGaps(entries: readonly Entry[]): Entry[] {
  const sorted = entries.toSorted((a, b) => a.seq - b.seq);
  const gap = sorted.findLastIndex(
    ({ seq }, index) => index > 0 && seq !== (sorted[index - 1]?.seq ?? 0) + 1,
  );
  return sorted.slice(Math.max(gap, 0));
}
