import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Segment } from './segment.ts';

/** The position of a message on disk. */
export interface SpillPosition {
  readonly segment: Segment;
  readonly at: number;
  readonly length: number;
}

interface OpenedSpill {
  readonly spill: Spill;
  readonly messages: readonly { readonly place: SpillPosition; readonly bytes: Uint8Array }[];
  /** The bytes after the last message are damaged or torn. */
  readonly isDamaged: boolean;
}

/** Acknowledged messages are deleted by segment, so a long output does not fill the disk. */
const SEGMENT_BYTES = 16 * 1024 * 1024;

/** The messages of one execution in a folder of its own, in order. */
export class Spill {
  readonly #folder: string;
  readonly #segments = new Set<Segment>();
  #current: Segment | undefined;
  #count = 0;

  /** Opens the folder of an earlier process. The folder is missing if everything had been acknowledged. */
  static open(folder: string): OpenedSpill {
    const spill = new Spill(folder);
    const names = readdirSync(folder).map(Number);
    spill.#count = Math.max(-1, ...names) + 1;
    const messages: { place: SpillPosition; bytes: Uint8Array }[] = [];
    for (const name of names.sort((a, b) => a - b)) {
      const { segment, messages: those, isDamaged } = Segment.open(join(folder, String(name)));
      spill.#segments.add(segment);
      for (const { at, bytes } of those)
        messages.push({ place: { segment, at, length: bytes.length }, bytes });
      if (isDamaged) return { spill, messages, isDamaged };
    }
    return { spill, messages, isDamaged: false };
  }

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Throws if the disk is full; then nothing has changed. */
  append(message: Uint8Array): SpillPosition {
    const segment = this.#writable();
    return { segment, at: segment.append(message), length: message.length };
  }

  read({ segment, at, length }: SpillPosition): Uint8Array<ArrayBuffer> {
    return segment.read(at, length);
  }

  /** Deletes a message that is no longer needed. */
  release({ segment }: SpillPosition): void {
    segment.needed -= 1;
    if (segment.needed > 0 || segment === this.#current) return;
    this.#segments.delete(segment);
    segment.remove();
  }

  /** Closes the files and keeps them for the next process. */
  close(): void {
    for (const segment of this.#segments) segment.close();
    this.#segments.clear();
  }

  remove(): void {
    this.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #writable(): Segment {
    if (this.#current !== undefined && this.#current.length < SEGMENT_BYTES) return this.#current;
    const next = Segment.create(join(this.#folder, String(this.#count)));
    this.#count += 1;
    this.#current = next;
    this.#segments.add(next);
    return next;
  }
}
