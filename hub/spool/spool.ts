import { createHash } from 'node:crypto';
import { CallBody, type CallInput } from '@svc/core/api/call-body';
import { FormFacts } from '@svc/core/api/form/form-facts';
import type { Argument } from '@svc/core/endpoint/definition';
import { contentType, SAMPLE_BYTES } from '@svc/core/execution/content-type';
import { type ReceivedFile, STDIN_FILE } from '@svc/core/execution/received-file';
import { PLAN_LIMITS } from '@svc/core/plan/plans';
import { Refusal, refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { KeptInput } from '../executions/execution-ports.ts';
import { type FileStore, NotStorable } from '../platform/files/file-store.ts';
import type { Clock } from '../platform/world.ts';
import { CHUNK_BYTES, newSpoolKey, SEALED_CHUNK_BYTES, SpoolCipher, sealedBytes } from './spool-cipher.ts';
import { UploadPace } from './upload-pace.ts';
import { type Upload, type Uploader, UploadSlots } from './upload-slots.ts';

export interface SpoolDeps {
  readonly files: FileStore;
  readonly clock: Clock;
  /** The bytes of the files and bodies that the hubs keep for a workspace. */
  readonly usedBytes: (workspaceId: string) => Promise<number>;
  /** Set if other hubs cannot read what this hub keeps. */
  readonly isOfOneHub: boolean;
}

interface KeepRequest {
  readonly executionId: string;
  readonly workspace: Pick<Workspace, 'id' | 'plan'>;
  readonly caller: Pick<Uploader, 'callerKind' | 'from'>;
  readonly args: readonly Argument[];
  readonly input: CallInput;
}

/** What is kept of a body, for the record of its execution. */
export interface Kept {
  readonly kept: KeptInput;
  /** What an approver sees. */
  readonly files: readonly ReceivedFile[];
}

/** The bodies of calls that wait for approval, encrypted (decision 83, bodies that wait for approval). No body is ever in memory. */
export class Spool {
  readonly #deps: SpoolDeps;
  readonly #slots = new UploadSlots();

  constructor(deps: SpoolDeps) {
    this.#deps = deps;
  }

  /**
   * Keeps the body of a call. It is durable when this resolves; a body that is refused leaves nothing.
   *
   * @throws `quota_exceeded`, `concurrency_limited`, `unavailable`, `cancelled` for an upload that is too slow, and what is wrong with the body
   */
  async keep(request: KeepRequest): Promise<Kept> {
    const { files, isOfOneHub } = this.#deps;
    const { executionId, workspace, caller } = request;
    if (isOfOneHub)
      throw refuse(
        'unavailable',
        'the body would wait at this hub alone: its operator sets SVC_S3_ENDPOINT or SVC_ARTIFACTS_DIR for several hubs',
      );
    const upload = this.#slots.take({ workspaceId: workspace.id, ...caller });
    try {
      return await this.#write(request, upload);
    } catch (error) {
      await files.removeExecution(executionId).catch(() => undefined);
      if (error instanceof NotStorable)
        throw refuse('unavailable', `the body cannot wait for approval: ${error.message}`);
      throw error;
    } finally {
      this.#slots.release(upload);
    }
  }

  /** A kept body, to be streamed to an agent like one that a caller sends. */
  open(executionId: string, { bytes, sha256, key, form }: KeptInput): CallInput {
    const { files } = this.#deps;
    const cipher = new SpoolCipher(key, executionId);
    const until = sealedBytes(bytes);
    let index = 0;
    const read = async () => {
      const from = index * SEALED_CHUNK_BYTES;
      if (from >= until) return {};
      const range = { from, until: Math.min(until, from + SEALED_CHUNK_BYTES) };
      const chunk = await openChunk(files, { executionId, range, cipher, index });
      index += 1;
      // The last chunk may have no bytes.
      return chunk.length === 0 ? {} : { value: chunk };
    };
    return {
      body: { getReader: () => ({ read, cancel: async () => undefined }) },
      maxBytes: bytes,
      sha256: Buffer.from(sha256, 'hex'),
      form,
    };
  }

  async remove(executionId: string): Promise<void> {
    await this.#deps.files.removeExecution(executionId);
  }

  async #write({ executionId, workspace, args, input }: KeepRequest, upload: Upload): Promise<Kept> {
    const { files, clock, usedBytes } = this.#deps;
    const { artifactBytes } = PLAN_LIMITS[workspace.plan];
    const freeBytes =
      artifactBytes === undefined
        ? Number.POSITIVE_INFINITY
        : artifactBytes - (await usedBytes(workspace.id));
    const body = new CallBody(input, createHash('sha256'));
    const pace = new UploadPace(clock, body);
    const facts = factsOf(input, args);
    const count = (bytes: number) => {
      upload.bytes += bytes;
      if (this.#slots.bytesOf(workspace.id) > freeBytes)
        throw refuse(
          'quota_exceeded',
          `the plan "${workspace.plan}" has no room for the body until it is approved`,
        );
    };
    const key = newSpoolKey();
    const sha256 = createHash('sha256');
    try {
      const pieces = piecesOf(pace, async (bytes) => {
        count(bytes.length);
        sha256.update(bytes);
        await facts.write(bytes);
      });
      await files.write({ executionId, id: 1 }, sealed(pieces, new SpoolCipher(key, executionId)));
      pace.refuseLate();
      const form = input.form === undefined ? {} : { form: input.form };
      const kept = { bytes: body.length, sha256: sha256.digest('hex'), key, ...form };
      return { kept, files: await facts.end() };
    } finally {
      body.close();
    }
  }
}

/** Throws the refusal of a body that is cut off. */
async function* piecesOf(
  body: Pick<UploadPace, 'next'>,
  onBytes: (bytes: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const piece = await body.next();
    if (piece.kind === 'end') return;
    if (piece.kind === 'cut') throw refuse(piece.code, piece.message);
    await onBytes(piece.bytes);
    yield piece.bytes;
  }
}

async function* sealed(pieces: AsyncIterable<Uint8Array>, cipher: SpoolCipher): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  let index = 0;
  for await (const piece of pieces)
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + CHUNK_BYTES - filled);
      chunk.set(part, filled);
      filled += part.length;
      at += part.length;
      if (filled < CHUNK_BYTES) continue;
      yield cipher.seal(chunk, index);
      index += 1;
      filled = 0;
    }
  yield cipher.seal(chunk.subarray(0, filled), index);
}

interface StoredChunk {
  readonly executionId: string;
  readonly range: { readonly from: number; readonly until: number };
  readonly cipher: SpoolCipher;
  readonly index: number;
}

async function openChunk(files: FileStore, { executionId, range, cipher, index }: StoredChunk) {
  try {
    const stored = await new Response(files.read({ executionId, id: 1 }, range)).bytes();
    if (stored.length !== range.until - range.from) throw new Error('the spool lacks bytes');
    return cipher.open(stored, index);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refuse('unavailable', 'the body that was kept for the approval was damaged, or is gone');
  }
}

interface Facts {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<readonly ReceivedFile[]>;
}

function factsOf({ form }: CallInput, args: readonly Argument[]): Facts {
  return form === undefined
    ? new BodyFacts()
    : new FormFacts({ contentType: form, args }, () => createHash('sha256'));
}

/** The facts of a body that the command reads from stdin. */
class BodyFacts implements Facts {
  readonly #sample = new Uint8Array(SAMPLE_BYTES);
  readonly #sha256 = createHash('sha256');
  #bytes = 0;

  async write(bytes: Uint8Array): Promise<void> {
    const at = this.#bytes;
    if (at < SAMPLE_BYTES) this.#sample.set(bytes.subarray(0, SAMPLE_BYTES - at), at);
    this.#bytes += bytes.length;
    this.#sha256.update(bytes);
  }

  async end(): Promise<readonly ReceivedFile[]> {
    const { type } = await contentType(this.#sample.subarray(0, this.#bytes));
    return [{ argument: STDIN_FILE, bytes: this.#bytes, type, sha256: this.#sha256.digest('hex') }];
  }
}
