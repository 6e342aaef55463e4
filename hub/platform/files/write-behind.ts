import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { releaseMemory } from '@svc/core/execution/release-memory';

/** The bytes of one file that are accepted and not written yet, before the next ones wait. */
const BEHIND_BYTES = 1024 * 1024;
/** So many bytes go to the disk while later ones arrive. Then the sync at the end of a large file takes no time of its size. */
const SYNC_BYTES = 32 * 1024 * 1024;

/**
 * A file that grows. Bytes are accepted before they are written, so the next ones arrive while this hub hashes and writes. There is one
 * write at a time, in order. After a write has failed, nothing more is written, and whatever comes next throws its error.
 */
export class WriteBehind {
  readonly #open: () => Promise<FileHandle>;
  /** Undefined: this process does not write the file from its first byte. */
  readonly #hash: Hash | undefined;
  #length: number;
  #behindBytes = 0;
  #waiting: Uint8Array[] = [];
  #file: FileHandle | undefined;
  #isAppending = false;
  /** Never rejects. */
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #unsyncedBytes = 0;
  #syncing: Promise<void> | undefined;

  constructor(open: () => Promise<FileHandle>, length: number) {
    this.#open = open;
    this.#length = length;
    this.#hash = length === 0 ? createHash('sha256') : undefined;
  }

  /** The bytes of the file when everything that was accepted is written. */
  get length(): number {
    return this.#length;
  }

  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /**
   * Accepts a stream up to a length of `mostBytes`, and returns the new length; undefined for a longer stream. A file that has reached
   * that length is written when this resolves. One call at a time.
   */
  async append(bytes: AsyncIterable<Uint8Array>, mostBytes: number): Promise<number | undefined> {
    this.#isAppending = true;
    try {
      this.#file ??= await this.#open();
      for await (const piece of bytes) {
        if (this.#length + piece.length > mostBytes) return undefined;
        await this.#accept(piece);
      }
      if (this.#length === mostBytes) await this.settled();
      return this.#length;
    } finally {
      this.#isAppending = false;
      if (this.#writing === undefined) await this.#close();
    }
  }

  /** Everything that was accepted is written. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    this.#throwFailure();
  }

  /** In hexadecimal; undefined if this process has not seen all bytes. Nothing is accepted afterwards. */
  sha256(): string | undefined {
    return this.#hash?.digest('hex');
  }

  async #accept(bytes: Uint8Array): Promise<void> {
    this.#throwFailure();
    this.#waiting.push(bytes);
    this.#length += bytes.length;
    this.#behindBytes += bytes.length;
    this.#writing ??= this.#write();
    // The write is in another thread. It reads the same bytes, which are freed in a later turn of this one.
    this.#hash?.update(bytes);
    while (this.#behindBytes > BEHIND_BYTES && this.#writing !== undefined) await this.#writing;
    this.#throwFailure();
  }

  async #write(): Promise<void> {
    do {
      while (this.#waiting.length > 0) await this.#writeWaiting();
      if (!this.#isAppending) await this.#close();
      // The next stream may have begun while the file was closed.
    } while (this.#waiting.length > 0);
    this.#writing = undefined;
  }

  async #writeWaiting(): Promise<void> {
    const file = this.#file as FileHandle;
    const pieces = this.#waiting;
    this.#waiting = [];
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    try {
      if (this.#failure === undefined) await writeAll(file, pieces, this.#length - this.#behindBytes);
    } catch (error) {
      this.#fail(error);
    }
    this.#behindBytes -= bytes;
    for (const piece of pieces) releaseMemory(piece);
    this.#syncSome(file, bytes);
  }

  #syncSome(file: FileHandle, writtenBytes: number): void {
    this.#unsyncedBytes += writtenBytes;
    if (this.#unsyncedBytes < SYNC_BYTES || this.#syncing !== undefined) return;
    this.#unsyncedBytes = 0;
    this.#syncing = file
      .datasync()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#syncing = undefined;
      });
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await this.#syncing;
    await file?.close().catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}

/** Writes the pieces one after the other. */
export async function writeAll(file: FileHandle, pieces: Uint8Array[], offset: number): Promise<void> {
  let at = offset;
  for (let left = pieces; left.length > 0; ) {
    const { bytesWritten } = await file.writev(left, at);
    at += bytesWritten;
    left = after(left, bytesWritten);
  }
}

/** What remains of the pieces after so many bytes. */
function after(pieces: Uint8Array[], bytes: number): Uint8Array[] {
  let skip = bytes;
  return pieces.flatMap((piece) => {
    const rest = piece.subarray(skip);
    skip = Math.max(0, skip - piece.length);
    return rest.length === 0 ? [] : [rest];
  });
}
