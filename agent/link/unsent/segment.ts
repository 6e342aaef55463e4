import { closeSync, ftruncateSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';

/** The first bytes of a file. A file before checksums begins with a length, which is never so large. */
const MAGIC = Buffer.from('svc1');
const LENGTH_BYTES = 4;
const SUM_BYTES = 4;

/** A message in a file differs from what was written. */
export class DamagedOutput extends Error {}

/** One file of messages. Each follows its length and its CRC32, both as big-endian u32. */
export class Segment {
  readonly #path: string;
  readonly #file: number;
  readonly #hasSums: boolean;
  #end = 0;
  /** How many of its messages are still needed. */
  needed = 0;

  static create(path: string): Segment {
    const segment = new Segment(path, openSync(path, 'w+', 0o600), true);
    segment.#writeAll(MAGIC);
    segment.#end = MAGIC.length;
    return segment;
  }

  /** The file that an earlier process left, with its messages up to the first damaged one. */
  static open(path: string): OpenedSegment {
    const content = readFileSync(path);
    const hasSums = MAGIC.equals(content.subarray(0, MAGIC.length));
    const segment = new Segment(path, openSync(path, 'r+'), hasSums);
    segment.#end = hasSums ? MAGIC.length : 0;
    const messages: { at: number; bytes: Uint8Array }[] = [];
    while (segment.#end + segment.#headBytes <= content.length) {
      const at = segment.#end + segment.#headBytes;
      const next = at + content.readUInt32BE(segment.#end);
      const bytes = content.subarray(at, next);
      if (next > content.length || (hasSums && sumOf(bytes) !== content.readUInt32BE(at - SUM_BYTES))) break;
      messages.push({ at, bytes });
      segment.#end = next;
    }
    segment.needed = messages.length;
    return { segment, messages, isDamaged: segment.#end < content.length };
  }

  private constructor(path: string, file: number, hasSums: boolean) {
    this.#path = path;
    this.#file = file;
    this.#hasSums = hasSums;
  }

  get #headBytes(): number {
    return this.#hasSums ? LENGTH_BYTES + SUM_BYTES : LENGTH_BYTES;
  }

  get length(): number {
    return this.#end;
  }

  /** Returns the offset of the message. Throws if the disk is full; then the segment is unchanged. */
  append(message: Uint8Array): number {
    const bytes = Buffer.allocUnsafe(LENGTH_BYTES + SUM_BYTES + message.length);
    bytes.writeUInt32BE(message.length);
    bytes.writeUInt32BE(sumOf(message), LENGTH_BYTES);
    bytes.set(message, LENGTH_BYTES + SUM_BYTES);
    try {
      this.#writeAll(bytes);
    } catch (error) {
      // A shorter message would not cover the part that was written, and the next process would find damage.
      ftruncateSync(this.#file, this.#end);
      throw error;
    }
    const at = this.#end + LENGTH_BYTES + SUM_BYTES;
    this.#end += bytes.length;
    this.needed += 1;
    return at;
  }

  /** Throws `DamagedOutput` if the bytes differ from the appended message. */
  read(at: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = this.#readAll(at, length);
    if (!this.#hasSums) return bytes;
    const sum = Buffer.from(this.#readAll(at - SUM_BYTES, SUM_BYTES).buffer).readUInt32BE();
    if (sum !== sumOf(bytes)) throw new DamagedOutput(`a message in ${this.#path} does not fit its checksum`);
    return bytes;
  }

  #readAll(at: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#file, bytes, done, length - done, at + done);
      if (count === 0) throw new DamagedOutput(`${this.#path} is shorter than it was`);
      done += count;
    }
    return bytes;
  }

  #writeAll(bytes: Buffer): void {
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#end + done);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  remove(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }
}

interface OpenedSegment {
  readonly segment: Segment;
  readonly messages: readonly { readonly at: number; readonly bytes: Uint8Array }[];
  /** The file has invalid bytes after the last message. */
  readonly isDamaged: boolean;
}

function sumOf(bytes: Uint8Array): number {
  return Bun.hash.crc32(bytes);
}
