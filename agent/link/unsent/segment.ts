import { closeSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';

const LENGTH_BYTES = 4;

/** One file of messages, each behind its length as a big-endian u32. */
export class Segment {
  readonly #path: string;
  readonly #file: number;
  #end = 0;
  /** How many of its messages are still needed. */
  needed = 0;

  static create(path: string): Segment {
    return new Segment(path, openSync(path, 'w+', 0o600));
  }

  /** The file that an earlier process left, and its messages; one that was torn ends them. */
  static open(path: string): { segment: Segment; messages: { at: number; bytes: Uint8Array }[] } {
    const content = readFileSync(path);
    const segment = new Segment(path, openSync(path, 'r+'));
    const messages: { at: number; bytes: Uint8Array }[] = [];
    while (segment.#end + LENGTH_BYTES <= content.length) {
      const at = segment.#end + LENGTH_BYTES;
      const next = at + content.readUInt32BE(segment.#end);
      if (next > content.length) break;
      messages.push({ at, bytes: content.subarray(at, next) });
      segment.#end = next;
    }
    segment.needed = messages.length;
    return { segment, messages };
  }

  private constructor(path: string, file: number) {
    this.#path = path;
    this.#file = file;
  }

  get length(): number {
    return this.#end;
  }

  /** Answers where the message begins. Throws when the disk takes no more, and then the segment is as before. */
  append(message: Uint8Array): number {
    const bytes = Buffer.allocUnsafe(LENGTH_BYTES + message.length);
    bytes.writeUInt32BE(message.length);
    bytes.set(message, LENGTH_BYTES);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#file, bytes, done, bytes.length - done, this.#end + done);
    }
    const at = this.#end + LENGTH_BYTES;
    this.#end += bytes.length;
    this.needed += 1;
    return at;
  }

  read(at: number, length: number): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const count = readSync(this.#file, bytes, done, length - done, at + done);
      if (count === 0) throw new Error('a file of unsent output is shorter than it was');
      done += count;
    }
    return bytes;
  }

  close(): void {
    closeSync(this.#file);
  }

  remove(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }
}
