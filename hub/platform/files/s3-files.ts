import { UUID } from '@svc/core/text/uuid';
import type { ByteRange, FileKey, PieceStore } from './file-store.ts';
import { type OnS3Problem, S3Client } from './s3-client.ts';
import type { S3Settings } from './s3-settings.ts';

/** A part of the format of the store: a file is in objects of this size. */
const PIECE_BYTES = 8 * 1024 * 1024;

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
    return await this.#bytesIn(sent(key), size);
  }

  async seal(key: FileKey, size: number): Promise<string> {
    const pieces = [...piecesOf({ from: 0, until: size })];
    await Promise.all(
      pieces.map(({ index }) => this.#client.copy(`${sent(key)}${index}`, `${kept(key)}${index}`)),
    );
    const hash = new Bun.CryptoHasher('sha256');
    for await (const bytes of this.#bytes(key, { from: 0, until: size })) hash.update(bytes);
    return hash.digest('hex');
  }

  async isWhole(key: FileKey, size: number): Promise<boolean> {
    return (await this.#bytesIn(kept(key), size)) === size;
  }

  read(key: FileKey, range: ByteRange): ReadableStream<Uint8Array> {
    const bytes = this.#bytes(key, range);
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await bytes.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await bytes.return(undefined);
      },
    });
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

  /** One piece is in memory at a time. */
  async *#bytes(key: FileKey, range: ByteRange): AsyncGenerator<Uint8Array> {
    for (const { index, from, until } of piecesOf(range))
      yield await this.#client.read(`${kept(key)}${index}`, from, until - from);
  }

  /** The bytes of the first pieces that are there with their whole length. */
  async #bytesIn(prefix: string, size: number): Promise<number> {
    if (size === 0) return 0;
    const sizes = await this.#client.sizes(prefix);
    let bytes = 0;
    for (const { index, until } of piecesOf({ from: 0, until: size })) {
      if (sizes.get(String(index)) !== until) break;
      bytes += until;
    }
    return bytes;
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

/** The pieces of a range, each with the part of it that is asked for. */
function* piecesOf({ from, until }: ByteRange) {
  for (let at = from; at < until; ) {
    const index = Math.floor(at / PIECE_BYTES);
    const start = index * PIECE_BYTES;
    const end = Math.min(until, start + PIECE_BYTES);
    yield { index, from: at - start, until: end - start };
    at = end;
  }
}
