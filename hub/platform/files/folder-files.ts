import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { RecentMap } from '@svc/core/recent-map';
import { UUID } from '@svc/core/text/uuid';
import { KeyedMutex } from '../keyed-mutex.ts';
import { type AppendStore, type FileKey, type FileRange, NotStorable } from './file-store.ts';
import { WriteBehind, writeAll } from './write-behind.ts';

const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
const GROWING_KEPT = 1_000;
/** Agents and callers send the bytes of files, so they must not take the last ones from the database on the same disk. */
const FREE_DISK_BYTES = 512 * 1024 * 1024;
/** Free space is checked again after this many bytes of a stream. */
const UNCHECKED_BYTES = 8 * 1024 * 1024;

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT']);
const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR']);

/** Files in a folder: written in order, in pieces, and read in ranges. Memory does not grow with their size. */
export class FolderFiles implements AppendStore {
  readonly upload = 'append';
  readonly #root: string;
  readonly #mutex = new KeyedMutex();
  /** The files that grow, or have grown last. A hash that is not here any more costs a second reading at the end. */
  readonly #growing = new RecentMap<string, WriteBehind>(GROWING_KEPT);

  constructor(root: string) {
    this.#root = root;
  }

  /** The number of bytes that are there, when those that were accepted are written. */
  async received(key: FileKey): Promise<number> {
    const growing = this.#growing.get(this.#path(key));
    // The next request that appends throws this error.
    await growing?.settled().catch(() => undefined);
    return await this.#size(key);
  }

  async incomplete(executionId: string, sizes: ReadonlyMap<number, number>): Promise<number[]> {
    const ids: number[] = [];
    for (const [id, size] of sizes) if ((await this.#size({ executionId, id })) !== size) ids.push(id);
    return ids;
  }

  async #size(key: FileKey): Promise<number> {
    const found = await stat(this.#path(key)).catch(unlessMissing).catch(asNotStorable);
    return found?.size ?? 0;
  }

  append(
    key: FileKey,
    offset: number,
    bytes: AsyncIterable<Uint8Array>,
    mostBytes: () => Promise<number | undefined>,
  ): Promise<number | undefined> {
    const path = this.#path(key);
    const written = this.#mutex.take(path, async () => {
      const most = await mostBytes();
      if (most === undefined) return undefined;
      const file = await this.#growingFile(key);
      if (file.length !== offset) return undefined;
      await mkdir(this.#folder(key), { recursive: true, mode: 0o700 });
      await this.#refuseFullDisk(most - offset);
      this.#growing.set(path, file);
      return await file.append(this.#whileRoom(bytes), most);
    });
    return written.catch((error: unknown) => this.#failed(path, error));
  }

  /** The SHA-256 of a file in hexadecimal, after its bytes are on the disk. Rejects with `NotStorable` like `append`. */
  seal(key: FileKey): Promise<string> {
    const path = this.#path(key);
    const sealed = this.#mutex.take(path, async () => {
      const known = this.#growing.take(path);
      await known?.settled();
      await using file = await this.#open(key);
      await file.sync();
      const { size } = await file.stat();
      const sha256 = known?.length === size ? known.sha256() : undefined;
      if (sha256 !== undefined) return sha256;
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
        await writeAll(file, [chunk], at);
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
      const growing = this.#growing.take(path);
      // It has no use for the error any more.
      await growing?.settled().catch(() => undefined);
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

  /** @param bytes that are still to come */
  async #refuseFullDisk(bytes = 0): Promise<void> {
    const { bavail, bsize } = await statfs(this.#root);
    if (bavail * bsize - bytes < FREE_DISK_BYTES) throw new NotStorable('the hub has no room');
  }

  /** The stream, which throws when files that grow at the same time have taken the room. */
  async *#whileRoom(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let unchecked = 0;
    for await (const piece of bytes) {
      unchecked += piece.length;
      if (unchecked > UNCHECKED_BYTES) {
        await this.#refuseFullDisk();
        unchecked = 0;
      }
      yield piece;
    }
  }

  /** The file at its end. What another hub appended to a shared folder counts, too. */
  async #growingFile(key: FileKey): Promise<WriteBehind> {
    const known = this.#growing.get(this.#path(key));
    if (known?.isWriting) return known;
    await known?.settled();
    const size = await this.#size(key);
    if (known?.length === size) return known;
    return new WriteBehind(() => this.#open(key), size);
  }

  /** After a failed write the file has fewer bytes than were accepted. The next stream begins with what is there. */
  #failed(path: string, error: unknown): never {
    if (this.#growing.get(path)?.hasFailed) this.#growing.take(path);
    return asNotStorable(error);
  }

  #folder({ executionId }: FileKey): string {
    return join(this.#root, executionId);
  }

  #path(key: FileKey): string {
    return join(this.#folder(key), String(key.id));
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
