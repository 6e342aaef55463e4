import { chownSync, constants, mkdirSync, readdirSync } from 'node:fs';
import { type FileHandle, open, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Launch } from '../runner/runner.ts';
import { claimFolder } from './claim-folder.ts';

/** The space that stays free on the disk for the journal and the output of the agent. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
/** The free space is read once per this many bytes of an execution. */
const BYTES_PER_CHECK = 16 * 1024 * 1024;
/** The limit for the files of all executions of an agent together. */
const MAX_TOTAL_BYTES = 20 * 1024 ** 3;

/** The files do not fit on this machine. */
export class NoRoom extends Error {}

/** The folders in which the files of calls lie while their commands run (decision 76, files of a call). */
export class FileFolders {
  readonly #root: string;
  readonly #maxTotalBytes: number;
  #totalBytes = 0;

  /** @param root of this agent alone; it is made with the first folder */
  constructor(root: string, maxTotalBytes = MAX_TOTAL_BYTES) {
    this.#root = root;
    this.#maxTotalBytes = maxTotalBytes;
  }

  /**
   * Makes an empty folder that only the agent can change. A command of another user can pass through the folder but not list it,
   * and it owns only its files. Throws if another user can change a folder on the way.
   */
  create(executionId: string, user: Launch['user']): FileFolder {
    const mode = user === undefined ? 0o700 : 0o711;
    if (user !== undefined) claimFolder(dirname(this.#root), mode);
    claimFolder(this.#root, mode);
    const path = join(this.#root, executionId);
    mkdirSync(path, { mode });
    return new FileFolder(path, user, (bytes) => this.#take(bytes));
  }

  /** Removes what an earlier process left. */
  async sweep(onTrouble: (cause: unknown) => void): Promise<void> {
    for (const name of namesIn(this.#root))
      await rm(join(this.#root, name), { recursive: true, force: true }).catch(onTrouble);
  }

  #take(bytes: number): void {
    if (this.#totalBytes + bytes > this.#maxTotalBytes)
      throw new NoRoom(`the files of its executions take ${this.#totalBytes} bytes`);
    this.#totalBytes += bytes;
  }
}

/** The folder of one execution. */
export class FileFolder {
  readonly #path: string;
  readonly #user: Launch['user'];
  readonly #takeSpace: (bytes: number) => void;
  #bytes = 0;

  constructor(path: string, user: Launch['user'], takeSpace: (bytes: number) => void) {
    this.#path = path;
    this.#user = user;
    this.#takeSpace = takeSpace;
  }

  /**
   * Makes a new file, which only the agent and later the user of the command can read.
   *
   * @param name chosen by the agent, never by the caller
   */
  async add(name: string): Promise<NewFile> {
    const path = join(this.#path, name);
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    return new NewFile(path, handle, (bytes) => this.#take(bytes));
  }

  /** Gives a whole file to the user of the command. */
  handOver(path: string): void {
    if (this.#user !== undefined) chownSync(path, this.#user.uid, this.#user.gid);
  }

  async remove(): Promise<void> {
    await rm(this.#path, { recursive: true, force: true });
    this.#takeSpace(-this.#bytes);
    this.#bytes = 0;
  }

  async #take(bytes: number): Promise<void> {
    this.#takeSpace(bytes);
    const before = Math.floor(this.#bytes / BYTES_PER_CHECK);
    const isFirst = this.#bytes === 0;
    this.#bytes += bytes;
    if (!isFirst && before === Math.floor(this.#bytes / BYTES_PER_CHECK)) return;
    const { bavail, bsize } = await statfs(this.#path);
    if (bavail * bsize < MIN_FREE_BYTES) throw new NoRoom('its disk is almost full');
  }
}

/** A file that is written from its start to its end. */
export class NewFile {
  readonly path: string;
  readonly #handle: FileHandle;
  readonly #take: (bytes: number) => Promise<void>;

  constructor(path: string, handle: FileHandle, take: (bytes: number) => Promise<void>) {
    this.path = path;
    this.#handle = handle;
    this.#take = take;
  }

  /** Throws `NoRoom`, or the error of the file system. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#take(bytes.length);
    for (let at = 0; at < bytes.length; )
      at += (await this.#handle.write(bytes, at, bytes.length - at)).bytesWritten;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
