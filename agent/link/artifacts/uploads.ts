import { createHash, type Hash } from 'node:crypto';
import { ARTIFACT_LIMITS, OUTPUT_FOLDER } from '@svc/core/artifact/limits';
import { type ArtifactUploads, MAX_REQUESTS } from '@svc/core/artifact/upload';
import type { Launch } from '../../runner/runner.ts';
import { type CollectedFiles, collectFiles, type FoundFile, missingReason } from './collect.ts';
import { type HubFiles, UploadFailed, type UploadSession } from './hub-files.ts';
import { NotReadable, openBelow } from './open-folder.ts';
import type { OutputPlaces } from './output-folders.ts';
import { type Turn, UploadTurns } from './upload-turns.ts';

type Upload = ArtifactUploads['uploads'][number];

/** How often an upload begins again without progress, because the hub has other bytes than the agent sent. */
const MAX_ROUNDS = 3;
/** The time limit for reporting missing files to the hub after a cancel. */
const REPORT_MISSING_MS = 10_000;

/** Sends what commands left in their output folders to the hub (decision 72, artifacts). */
export class ArtifactUploader {
  readonly #folders: OutputPlaces;
  readonly #hub: HubFiles;
  readonly #turns = new UploadTurns();

  constructor(folders: OutputPlaces, hub: HubFiles) {
    this.#folders = folders;
    this.#hub = hub;
  }

  /** Makes the folder for the artifacts of an execution; returns its path, which is `SVC_OUTPUT_DIR`. */
  createFolder(executionId: string, patterns: readonly string[], user: Launch['user']): string {
    this.#folders.create(executionId, patterns, user);
    return this.#folders.pathOf(executionId);
  }

  /** Removes the folder without sending anything. */
  async discard(executionId: string): Promise<void> {
    await this.#folders.remove(executionId);
  }

  hasFolder(executionId: string): boolean {
    return this.#folders.has(executionId);
  }

  /**
   * Uploads the artifacts of an ended execution; resumes where an earlier process stopped. Has no effect for an execution without a
   * folder. Throws `UploadFailed`, or the reason of the stop signal. After a cancel, files that are not at the hub are missing there.
   */
  async upload(executionId: string, cancelled = new AbortController().signal): Promise<void> {
    // Its time begins before it waits for others, which may wait for a hub that takes nothing.
    const upload = this.#hub.begin(executionId, cancelled);
    const patterns = await this.#folders.patternsOf(executionId);
    if (patterns === undefined) return;
    const root = await this.#folders.open(executionId);
    if (root === undefined) return;
    const collection = await collected(root, patterns);
    if (collection.found.length === 0 && collection.missing.length === 0) return;
    try {
      await this.#turns.take(cancelled, (turn) => this.#uploadFolder({ upload, turn }, collection));
    } catch (error) {
      if (!cancelled.aborted || (error as Error).name === 'AbortError') throw error;
      await this.#giveUp(this.#hub.begin(executionId, AbortSignal.timeout(REPORT_MISSING_MS)), collection);
    }
  }

  async #giveUp(upload: UploadSession, { found, missing }: CollectedFiles): Promise<void> {
    const { uploads } = await this.#hub.announce(upload, { files: [...found], missing: [...missing] });
    for (const { id, state } of uploads)
      if (state === 'uploading')
        await this.#hub.end(upload, id, { reason: 'the execution was cancelled while it was sent' });
  }

  async #uploadFolder(sending: Sending, { found, missing }: CollectedFiles): Promise<void> {
    let known = 0;
    for (let left = MAX_ROUNDS; left > 0; left -= 1) {
      const { uploads } = await this.#hub.announce(sending.upload, {
        files: [...found],
        missing: [...missing],
      });
      const bytes = uploads.reduce((sum, { offset }) => sum + offset, 0);
      if (bytes > known) [known, left] = [bytes, MAX_ROUNDS];
      if (await this.#uploadAll(sending, found, uploads)) return;
    }
    throw new UploadFailed('the hub has other bytes than those that were sent, again and again');
  }

  /** False if the hub has other bytes of a file than it should. */
  async #uploadAll(
    sending: Sending,
    found: readonly FoundFile[],
    uploads: readonly Upload[],
  ): Promise<boolean> {
    for (const upload of uploads) {
      const file = found[upload.file];
      if (file === undefined || upload.state !== 'uploading') continue;
      if (sending.turn.spend(ARTIFACT_LIMITS.fileCostBytes)) await this.#rejoin(sending);
      if (!(await this.#uploadOne(sending, file, upload))) return false;
    }
    return true;
  }

  async #uploadOne(
    sending: Sending,
    file: FoundFile,
    { id, offset, piece_bytes, requests = 1 }: Upload,
  ): Promise<boolean> {
    const { upload, turn } = sending;
    const root = await this.#folders.open(upload.executionId);
    if (root === undefined) return await this.#hub.end(upload, id, { reason: 'it is gone' });
    const to: Destination = {
      from: offset,
      chunkBytes: piece_bytes ?? ARTIFACT_LIMITS.chunkBytes,
      requests: Math.min(requests, MAX_REQUESTS),
      send: (at, bytes) =>
        piece_bytes === undefined
          ? this.#hub.append(upload, id, at, bytes)
          : this.#hub.sendPiece(upload, id, at, bytes),
      spend: (bytes) => turn.spend(bytes),
      rejoin: () => this.#rejoin(sending),
    };
    try {
      const sha256 = await sendFile(root, file, to);
      return sha256 !== undefined && (await this.#endFile(sending, id, { size: file.size, sha256 }));
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      return await this.#hub.end(upload, id, { reason: error.message });
    }
  }

  /** The hub compares the bytes of a large file for a while. Others send meanwhile. */
  async #endFile(
    sending: Sending,
    id: number,
    { size, sha256 }: { readonly size: number; readonly sha256: string },
  ): Promise<boolean> {
    if (size < ARTIFACT_LIMITS.turnBytes) return await this.#hub.end(sending.upload, id, { sha256 });
    sending.turn.leave();
    const isStored = await this.#hub.end(sending.upload, id, { sha256 });
    await this.#rejoin(sending);
    return isStored;
  }

  async #rejoin({ upload, turn }: Sending): Promise<void> {
    await turn.rejoin();
    this.#hub.waited(upload);
  }
}

/** The files of an execution, while it has a turn. */
interface Sending {
  readonly upload: UploadSession;
  readonly turn: Turn;
}

/** A command may have removed its folder. */
async function collected(root: string, patterns: readonly string[]): Promise<CollectedFiles> {
  try {
    return await collectFiles(root, patterns);
  } catch (error) {
    return { found: [], missing: [{ name: OUTPUT_FOLDER, reason: missingReason(error) }] };
  }
}

interface Destination {
  /** The bytes that are there. */
  readonly from: number;
  readonly chunkBytes: number;
  /** Chunks on their way at once. */
  readonly requests: number;
  /** False if another number of bytes is there. */
  readonly send: (at: number, bytes: Uint8Array<ArrayBuffer>) => Promise<boolean>;
  /** Counts bytes of the file. True: others wait, and `rejoin` is called. */
  readonly spend: (bytes: number) => boolean;
  /** Waits for the next turn. */
  readonly rejoin: () => Promise<void>;
}

type OpenFile = Awaited<ReturnType<typeof openBelow>>;

/** Hashes the whole file, and sends what begins at `from`. Undefined if the hub has another number of bytes. */
async function sendFile(
  root: string,
  { name, size }: FoundFile,
  to: Destination,
): Promise<string | undefined> {
  await using file = await openBelow(root, name);
  const hash = createHash('sha256');
  for (let at = 0; at < size; ) {
    if (at > 0) await to.rejoin();
    const until = await sendPart(file, hash, { at, size }, to);
    if (until === undefined) return undefined;
    at = until;
  }
  return hash.digest('hex');
}

/**
 * Hashes and sends what begins at `at`, up to the end of the file or of the turn, and returns where it has stopped. One chunk is hashed
 * while the one before it is sent and the one after it is read. Keeps no chunk in memory afterwards. Returns undefined if the hub has another number
 * of bytes.
 */
async function sendPart(
  file: OpenFile,
  hash: Hash,
  { at: start, size }: { readonly at: number; readonly size: number },
  { from, chunkBytes, requests, send, spend }: Destination,
): Promise<number | undefined> {
  const buffers = Array.from({ length: requests + 2 }, () => new Uint8Array(Math.min(size, chunkBytes)));
  const sending: Promise<boolean>[] = [];
  let reading: Promise<Uint8Array<ArrayBuffer>> | undefined;
  const read = (at: number) => {
    // A chunk ends where the hub's bytes end, so that no byte is sent twice.
    const end = Math.min(at < from ? from : size, at + chunkBytes);
    const [buffer] = buffers.splice(0, 1) as [Uint8Array<ArrayBuffer>];
    buffers.push(buffer);
    reading = fill(file, buffer.subarray(0, end - at), at);
    // It may fail while the chunk before it is hashed, before anything waits for it.
    reading.catch(() => undefined);
    return reading;
  };
  try {
    let at = start;
    for (let next = read(at), isOver = false; at < size && !isOver; ) {
      const bytes = await next;
      const begin = at;
      at += bytes.length;
      isOver = spend(bytes.length);
      if (at < size && !isOver) next = read(at);
      hash.update(bytes);
      if (sending.length === requests && !(await sending.shift())) return undefined;
      if (begin < from) continue;
      const sent = send(begin, bytes);
      // It may fail before anything waits for it.
      sent.catch(() => undefined);
      sending.push(sent);
    }
    const areThere = await Promise.all(sending);
    return areThere.every(Boolean) ? at : undefined;
  } finally {
    await Promise.allSettled([...sending, reading]);
  }
}

/** Fills the buffer, and returns it. Throws `NotReadable` for a file that ends before. */
async function fill(
  file: OpenFile,
  buffer: Uint8Array<ArrayBuffer>,
  at: number,
): Promise<Uint8Array<ArrayBuffer>> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, at + length);
    if (bytesRead === 0) throw new NotReadable('it became shorter while it was sent');
    length += bytesRead;
  }
  return buffer;
}
