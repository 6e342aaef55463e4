import { UUID } from '@svc/core/text/uuid';
import type { FileKey, FileRange, PieceStore } from './file-store.ts';
import { type OnS3Problem, S3Client } from './s3-client.ts';
import type { S3Settings } from './s3-settings.ts';

/** A part of the format of the store: a file is in objects of this size. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** What each reader has in memory at most. Many may read slowly at the same time. */
const READ_BYTES = 1024 * 1024;

/**
 * Files in an object store, each in pieces: `<execution>/<id>-sent-<n>` as an agent sent them, and `<execution>/<id>-kept-<n>` when the
 * file is sealed.
 *
 * A signed URL can be used again until it expires, so what it wrote is never read. Sealing copies the pieces within the store, and
 * hashes the copies. No URL can write to those.
 */
export class S3Files implements PieceStore {
  readonly upload = 'pieces';
  readonly pieceBytes = PIECE_BYTES;
  readonly #client: S3Client;

  constructor(settings: S3Settings, onProblem: OnS3Problem) {
    this.#client = new S3Client(settings, onProblem);
  }

  async received(key: FileKey, size: number): Promise<number> {
    const prefix = sent(key);
    return bytesIn(await this.#client.sizes(prefix), '', size);
  }

  async seal(key: FileKey, size: number): Promise<string> {
    const pieces = [...piecesOf({ from: 0, until: size })];
    await Promise.all(
      pieces.map(({ index }) => this.#client.copy(`${sent(key)}${index}`, `${kept(key)}${index}`)),
    );
    const hash = new Bun.CryptoHasher('sha256');
    for (const piece of pieces) hash.update(await this.#read(key, piece));
    return hash.digest('hex');
  }

  /** One list for all: an execution has up to 500 files. */
  async incomplete(executionId: string, sizes: ReadonlyMap<number, number>): Promise<number[]> {
    const ids = [...sizes.keys()];
    const folder = `${executionId}/`;
    const prefix = ids.length === 1 ? kept({ executionId, id: ids[0] as number }) : folder;
    const found = await this.#client.sizes(prefix);
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
      await this.#client.put(`${kept(key)}${index}`, piece.subarray(0, filled));
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

  async pieceUrl(key: FileKey, { offset, bytes }: { readonly offset: number; readonly bytes: number }) {
    return await this.#client.uploadUrl(`${sent(key)}${offset / PIECE_BYTES}`, bytes);
  }

  async #read(key: FileKey, { index, from, until }: PiecePart): Promise<Uint8Array> {
    return await this.#client.read(`${kept(key)}${index}`, from, until - from);
  }

  async #removeAll(prefix: string): Promise<void> {
    const names = [...(await this.#client.sizes(prefix)).keys()];
    await Promise.all(names.map((name) => this.#client.remove(prefix + name)));
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

/** The bytes of the first pieces that are there with their whole length. `names` is what their names begin with. */
function bytesIn(sizes: ReadonlyMap<string, number>, names: string, size: number): number {
  let bytes = 0;
  for (const { index, until } of piecesOf({ from: 0, until: size })) {
    if (sizes.get(`${names}${index}`) !== until) break;
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
