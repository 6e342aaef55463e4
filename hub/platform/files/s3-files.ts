import { UUID } from '@svc/core/text/uuid';
import type { FileKey, FileRange, PieceStore } from './file-store.ts';
import type { ObjectKeys, StoredObject } from './object-keys.ts';
import { type OnS3Problem, S3Client, type SignedUpload } from './s3-client.ts';
import type { S3Settings } from './s3-settings.ts';

/** A part of the format of the store: a file is in objects of this size. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** What each reader has in memory at most. Many may read slowly at the same time. */
const READ_BYTES = 1024 * 1024;
/** The requests for one file that the hub has open at once, half of all. */
const REQUESTS_AT_ONCE = 4;

/**
 * Files in an object store, each in pieces: `<execution>/<id>-sent-<n>` as an agent sent them, and `<execution>/<id>-kept-<n>` when the
 * file is sealed.
 *
 * A signed URL can be used again until it expires, so what it wrote is never read. Sealing copies the pieces within the store, and
 * hashes the copies. No URL can write to those.
 *
 * The names that are encrypted with a key of this hub have an ending (`ObjectKeys`).
 */
export class S3Files implements PieceStore {
  readonly upload = 'pieces';
  readonly pieceBytes = PIECE_BYTES;
  readonly #client: S3Client;
  readonly #keys: ObjectKeys;

  constructor(settings: S3Settings, keys: ObjectKeys, onProblem: OnS3Problem) {
    this.#client = new S3Client(settings, onProblem);
    this.#keys = keys;
  }

  get needsHeaders(): boolean {
    return this.#keys.encrypts;
  }

  async received(key: FileKey, size: number): Promise<number> {
    return bytesIn(await this.#listed(sent(key)), '', size);
  }

  async seal(key: FileKey, size: number): Promise<string> {
    const pieces = [...piecesOf({ from: 0, until: size })];
    const there = await this.#listed(sent(key));
    const copyOne = async ({ index }: PiecePart) => {
      // A piece that is not there any more is refused by the store.
      const from = there.get(`${index}`)?.object ?? this.#keys.toWrite(`${sent(key)}${index}`);
      await this.#client.copy(from, this.#keys.toWrite(`${kept(key)}${index}`));
    };
    await eachOf(pieces, copyOne);
    const hash = new Bun.CryptoHasher('sha256');
    for (const piece of pieces) hash.update(await this.#read(key, piece));
    return hash.digest('hex');
  }

  /** One list for all: an execution has up to 500 files. */
  async incomplete(executionId: string, sizes: ReadonlyMap<number, number>): Promise<number[]> {
    const ids = [...sizes.keys()];
    const folder = `${executionId}/`;
    const prefix = ids.length === 1 ? kept({ executionId, id: ids[0] as number }) : folder;
    const found = await this.#listed(prefix);
    return ids.filter((id) => {
      const size = sizes.get(id) as number;
      const names = kept({ executionId, id }).slice(prefix.length);
      return bytesIn(found, names, size) !== size;
    });
  }

  read(key: FileKey, range: FileRange): ReadableStream<Uint8Array> {
    let at = range.from;
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const [part] = piecesOf({ from: at, until: Math.min(range.until, at + READ_BYTES) });
      if (part === undefined) {
        controller.close();
        return;
      }
      at += part.until - part.from;
      controller.enqueue(await this.#read(key, part));
    };
    return new ReadableStream({ pull }, { highWaterMark: 0 });
  }

  /** One piece is in memory. */
  async write(key: FileKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const piece = new Uint8Array(PIECE_BYTES);
    let index = 0;
    let filled = 0;
    const flush = async () => {
      const object = this.#keys.toWrite(`${kept(key)}${index}`);
      await this.#client.put(object, piece.subarray(0, filled));
      index += 1;
      filled = 0;
    };
    for await (const chunk of bytes)
      for (let at = 0; at < chunk.length; ) {
        const part = chunk.subarray(at, at + PIECE_BYTES - filled);
        piece.set(part, filled);
        filled += part.length;
        at += part.length;
        if (filled === PIECE_BYTES) await flush();
      }
    if (filled > 0) await flush();
  }

  async remove(key: FileKey): Promise<void> {
    await this.#removeAll(prefixOf(key));
  }

  async removePieces(key: FileKey): Promise<void> {
    await this.#removeAll(sent(key));
  }

  async removeExecution(executionId: string): Promise<void> {
    await this.#removeAll(`${executionId}/`);
  }

  async *executions(): AsyncGenerator<string> {
    for await (const name of this.#client.folders('')) if (UUID.test(name)) yield name;
  }

  async signPiece(
    key: FileKey,
    { offset, bytes }: { readonly offset: number; readonly bytes: number },
  ): Promise<SignedUpload> {
    const object = this.#keys.toWrite(`${sent(key)}${offset / PIECE_BYTES}`);
    return await this.#client.uploadUrl(object, bytes);
  }

  /**
   * Copies each object that an older key of this hub encrypts within the store, so that it has the current key. Can be repeated. Returns
   * how many were copied, and the names of those whose key is not here.
   */
  async renewKeys(): Promise<{ readonly count: number; readonly unreadable: readonly string[] }> {
    const unreadable: string[] = [];
    let count = 0;
    const renew = async (listed: string) => {
      const { name, object } = this.#keys.read(listed);
      const renewed = this.#keys.withCurrentKey(name);
      if (object === undefined) unreadable.push(listed);
      if (object?.root === undefined || object.name === renewed.name) return;
      await this.#client.copy(object, renewed);
      await this.#client.remove(object.name);
      count += 1;
    };
    for await (const executionId of this.executions()) {
      const folder = `${executionId}/`;
      await eachOf([...(await this.#client.sizes(folder)).keys()], (name) => renew(folder + name));
    }
    return { count, unreadable };
  }

  async #read(key: FileKey, { index, from, until }: PiecePart): Promise<Uint8Array> {
    return await this.#client.read(this.#keys.possible(`${kept(key)}${index}`), from, until - from);
  }

  /** The objects that this hub can read, by the rest of their name without the id of the key. */
  async #listed(prefix: string): Promise<ReadonlyMap<string, ListedObject>> {
    const all = new Map<string, ListedObject>();
    for (const [rest, bytes] of await this.#client.sizes(prefix)) {
      const { name, object } = this.#keys.read(prefix + rest);
      if (object !== undefined) all.set(name.slice(prefix.length), { object, bytes });
    }
    return all;
  }

  async #removeAll(prefix: string): Promise<void> {
    const names = [...(await this.#client.sizes(prefix)).keys()];
    await eachOf(names, (name) => this.#client.remove(prefix + name));
  }
}

function prefixOf({ executionId, id }: FileKey): string {
  return `${executionId}/${id}-`;
}

function sent(key: FileKey): string {
  return `${prefixOf(key)}sent-`;
}

function kept(key: FileKey): string {
  return `${prefixOf(key)}kept-`;
}

interface ListedObject {
  readonly object: StoredObject;
  readonly bytes: number;
}

/** Does something with each item, a few at a time: one large file leaves requests of this hub for others. */
async function eachOf<Item>(items: readonly Item[], action: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const workers = Array.from({ length: REQUESTS_AT_ONCE }, async () => {
    for (const item of left) await action(item);
  });
  await Promise.all(workers);
}

/** The bytes of the first pieces that are there with their whole length. `names` is what their names begin with. */
function bytesIn(found: ReadonlyMap<string, ListedObject>, names: string, size: number): number {
  let bytes = 0;
  for (const { index, until } of piecesOf({ from: 0, until: size })) {
    if (found.get(`${names}${index}`)?.bytes !== until) break;
    bytes += until;
  }
  return bytes;
}

/** A range of one piece. */
interface PiecePart extends FileRange {
  readonly index: number;
}

/** The pieces of a range, each with the part of it that is asked for. */
function* piecesOf({ from, until }: FileRange): Generator<PiecePart> {
  for (let at = from; at < until; ) {
    const index = Math.floor(at / PIECE_BYTES);
    const start = index * PIECE_BYTES;
    const end = Math.min(until, start + PIECE_BYTES);
    yield { index, from: at - start, until: end - start };
    at = end;
  }
}
