import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { releaseMemory } from '@svc/core/execution/release-memory';
import { RecentMap } from '@svc/core/recent-map';
import { UUID } from '@svc/core/text/uuid';
import { KeyedMutex } from '../keyed-mutex.ts';
import { type AppendStore, type FileKey, type FileRange, NotStorable } from './file-store.ts';

const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
const HASHES_KEPT = 1_000;
/** What `write` leaves free. */
const FREE_DISK_BYTES = 512 * 1024 * 1024;

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);
const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR']);

/** Files in a folder: written in order, in pieces, and read in ranges. Memory does not grow with their size. */
export class FolderFiles implements AppendStore {
  readonly upload = 'append';
  readonly #root: string;
  readonly #mutex = new KeyedMutex();
  /** The hash of the bytes that this process has written to a file, so that its end needs no second reading. */
  readonly #hashes = new RecentMap<string, { readonly hash: Bun.CryptoHasher; bytes: number }>(HASHES_KEPT);

  constructor(root: string) {
    this.#root = root;
  }

  async received(key: FileKey): Promise<number> {
    return await this.size(key);
  }

  async incomplete(executionId: string, sizes: ReadonlyMap<number, number>): Promise<number[]> {
    const ids: number[] = [];
    for (const [id, size] of sizes) if ((await this.size({ executionId, id })) !== size) ids.push(id);
    return ids;
  }

  /** The number of bytes that are there. */
  async size(key: FileKey): Promise<number> {
    const found = await stat(this.#path(key)).catch(unlessMissing).catch(asNotStorable);
    return found?.size ?? 0;
  }

  append(
    key: FileKey,
    { offset, mostBytes }: { readonly offset: number; readonly mostBytes: number },
    bytes: AsyncIterable<Uint8Array>,
    isOpen: () => Promise<boolean>,
  ): Promise<number | undefined> {
    const path = this.#path(key);
    const written = this.#mutex.take(path, async () => {
      if (!(await isOpen()) || (await this.size(key)) !== offset) return undefined;
      await using file = await this.#open(key);
      let at = offset;
      for await (const chunk of bytes) {
        if (at + chunk.length > mostBytes) return undefined;
        await writeAll(file, chunk, at);
        this.#addToHash(path, at, chunk);
        at += chunk.length;
        // A file of gigabytes comes in as many chunks as there are requests.
        releaseMemory(chunk);
      }
      return at;
    });
    return written.catch(asNotStorable);
  }

  /** The SHA-256 of a file in hexadecimal, after its bytes are on the disk. Rejects with `NotStorable` like `append`. */
  seal(key: FileKey): Promise<string> {
    const path = this.#path(key);
    const sealed = this.#mutex.take(path, async () => {
      await using file = await this.#open(key);
      await file.sync();
      const { size } = await file.stat();
      const known = this.#hashes.take(path);
      if (known?.bytes === size) return known.hash.digest('hex');
      const hash = new Bun.CryptoHasher('sha256');
      for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
      return hash.digest('hex');
    });
    return sealed.catch(asNotStorable);
  }

  async write(key: FileKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      await using file = await this.#open(key, O_EXCL);
      let at = 0;
      for await (const chunk of bytes) {
        await this.#refuseFullDisk();
        await writeAll(file, chunk, at);
        at += chunk.length;
      }
      await file.sync();
      // The names are durable, too.
      await syncFolder(this.#folder(key));
      await syncFolder(this.#root);
    } catch (error) {
      asNotStorable(error);
    }
  }

  read(key: FileKey, { from, until }: FileRange): Blob {
    return Bun.file(this.#path(key)).slice(from, until);
  }

  remove(key: FileKey): Promise<void> {
    const path = this.#path(key);
    return this.#mutex.take(path, async () => {
      this.#hashes.take(path);
      await rm(path, { force: true });
    });
  }

  async removeExecution(executionId: string): Promise<void> {
    await rm(join(this.#root, executionId), { recursive: true, force: true });
  }

  async *executions(): AsyncGenerator<string> {
    const names = (await readdir(this.#root).catch(unlessMissing)) ?? [];
    yield* names.filter((name) => UUID.test(name));
  }

  async #open(key: FileKey, flags = 0): Promise<FileHandle> {
    await mkdir(this.#folder(key), { recursive: true, mode: 0o700 });
    return await open(this.#path(key), O_CREAT | O_WRONLY | O_NOFOLLOW | flags, 0o600);
  }

  /** A caller sends these bytes, so they must not take the last ones from the database on the same disk. */
  async #refuseFullDisk(): Promise<void> {
    const { bavail, bsize } = await statfs(this.#root);
    if (bavail * bsize < FREE_DISK_BYTES) throw new NotStorable('the hub has no room');
  }

  #addToHash(path: string, offset: number, bytes: Uint8Array): void {
    const known = offset === 0 ? { hash: new Bun.CryptoHasher('sha256'), bytes: 0 } : this.#hashes.get(path);
    if (known === undefined || known.bytes !== offset) return;
    known.hash.update(bytes);
    known.bytes += bytes.length;
    this.#hashes.set(path, known);
  }

  #folder({ executionId }: FileKey): string {
    return join(this.#root, executionId);
  }

  #path(key: FileKey): string {
    return join(this.#folder(key), String(key.id));
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, offset + at);
    at += bytesWritten;
  }
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path);
  await folder.sync();
}

function asNotStorable(error: unknown): never {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (NO_ROOM.has(code)) throw new NotStorable('the hub has no room', { cause: error });
  if (NOT_WRITABLE.has(code)) throw new NotStorable('the hub cannot write it', { cause: error });
  throw error;
}

function unlessMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}
