import { setImmediate } from 'node:timers/promises';
import type { StreamPosition } from '@svc/core/execution/event-ids';
import { type EncodedOutput, type EndingRun, rebuildOutput } from '@svc/core/execution/frame';
import { LastEvents } from '@svc/core/execution/last-events';
import { kindOfEvents, rawParts, textOf } from '@svc/core/execution/raw-output';
import type { ExecutionLedger, OutputChunk } from './execution-ports.ts';

/** Chunks in one read from the store. */
const BATCH = 64;
/**
 * The time after which a long read lets other work run: SQLite reads on the serving thread, and a call takes several turns of its loop.
 */
const SLICE_MS = 1;

/** Returns a function to call between two reads. It lets calls run when a slice of time is over (decision 62, reads apart from calls). */
function timeSlices(): () => Promise<void> {
  let beganAtMs = performance.now();
  return async () => {
    if (performance.now() - beganAtMs < SLICE_MS) return;
    await setImmediate();
    beganAtMs = performance.now();
  };
}

/** Replaces the line endings of a chunk that is a part of a transform's JSON result and contains no events. */
export const RESULT_PIECE = '"result"';

export function isResultPiece({ endings }: OutputChunk): boolean {
  return endings === RESULT_PIECE;
}

/** The stored output of an execution after `afterSeq`, in order. */
export async function* storedOutput(
  ledger: Pick<ExecutionLedger, 'output'>,
  executionId: string,
  afterSeq: number,
): AsyncGenerator<OutputChunk> {
  const letCallsRun = timeSlices();
  let last = afterSeq;
  for (;;) {
    const chunks = await ledger.output(executionId, last, BATCH);
    yield* chunks;
    if (chunks.length < BATCH) return;
    last = chunks.at(-1)?.seq ?? last;
    await letCallsRun();
  }
}

/** Chunks in one read from the end: the last events are often in the last of them. */
const FIRST_BACK_BATCH = 16;
/** Chunks in one read while they are small: a read costs as much as 20 of them. */
const BACK_BATCH = 256;
const SMALL_CHUNK_BYTES = 4 * 1024;

interface LastEventsOptions {
  readonly before?: StreamPosition | undefined;
  /** Aborts when the reader leaves. The events are then read no further. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The last stored events of an execution, up to `before` or the end. Without `before` it also counts all that is before them, piece
 * by piece: stored output has a limit (decision 26, limits), and a count costs less than sending it. For a reader that has left, the
 * result is incomplete.
 */
export async function findLastEvents(
  ledger: Pick<ExecutionLedger, 'outputBack'>,
  executionId: string,
  wanted: number,
  { before, signal }: LastEventsOptions = {},
): Promise<LastEvents> {
  const last = new LastEvents(wanted, before);
  const letCallsRun = timeSlices();
  let beforeSeq = before === undefined ? Number.MAX_SAFE_INTEGER : before.seq + 1;
  let batch = FIRST_BACK_BATCH;
  for (;;) {
    const chunks = await ledger.outputBack(executionId, beforeSeq, batch);
    for (const chunk of chunks) if (!isResultPiece(chunk)) last.add(chunk.seq, chunk.sse);
    if (chunks.length < batch || (before !== undefined && last.isFound)) return last;
    beforeSeq = chunks.at(-1)?.seq ?? 0;
    const bytes = chunks.reduce((sum, { sse }) => sum + sse.length, 0);
    batch = bytes < chunks.length * SMALL_CHUNK_BYTES ? BACK_BATCH : FIRST_BACK_BATCH;
    // The abort of a reader is an event of the loop, so it is seen after a pause only.
    await letCallsRun();
    if (signal?.aborted) return last;
  }
}

/**
 * Collects the output of a command from the events of its stream, up to a limit (decision 16, the buffered answer). As soon as
 * there is raw stdout, only its bytes count (decision 68, raw output).
 */
export class CollectedOutput {
  readonly #limitBytes: number;
  #text = '';
  #raw: Uint8Array[] | undefined;
  #bytes = 0;
  #isTruncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** For raw stdout that is not text, a note with its length. */
  get text(): string {
    const { base64 } = this;
    return base64 === undefined ? this.#text : textOf({ data: base64, encoding: 'base64' });
  }

  /** The raw stdout as base64; undefined if there is none. */
  get base64(): string | undefined {
    return this.#raw && Buffer.concat(this.#raw).toString('base64');
  }

  add(chunk: OutputChunk): void {
    if (this.#isTruncated) return;
    if (kindOfEvents(chunk.sse) === 'raw') this.#addRaw(chunk.sse);
    else if (this.#raw === undefined) this.#addText(chunk);
  }

  #addRaw(sse: Uint8Array): void {
    if (this.#raw === undefined) this.#bytes = 0;
    this.#raw ??= [];
    for (const part of rawParts(sse)) {
      if (part.kind !== 'stdout') continue;
      const kept = part.bytes.subarray(0, this.#limitBytes - this.#bytes);
      this.#raw.push(kept);
      this.#bytes += kept.length;
      this.#isTruncated ||= kept.length < part.bytes.length;
    }
  }

  #addText(chunk: OutputChunk): void {
    const text = plainText(chunk);
    const bytes = Buffer.byteLength(text);
    const room = this.#limitBytes - this.#bytes;
    this.#isTruncated = bytes > room;
    this.#bytes += Math.min(bytes, room);
    this.#text += bytes > room ? firstBytes(text, room) : text;
  }
}

/** The beginning of the stored output. Nothing is read beyond the limit. */
export async function collectStored(
  ledger: Pick<ExecutionLedger, 'output'>,
  executionId: string,
  limitBytes: number,
): Promise<CollectedOutput> {
  const output = new CollectedOutput(limitBytes);
  for await (const chunk of storedOutput(ledger, executionId, 0)) {
    if (!isResultPiece(chunk)) output.add(chunk);
    if (output.isTruncated) break;
  }
  return output;
}

/** The text of one piece of an execution's output. */
export function plainText({ sse, endings }: OutputChunk): string {
  const runs = endings === undefined ? [] : (JSON.parse(endings) as EndingRun[]);
  const frame: EncodedOutput = { sse, lines: 0, endings: runs };
  return rebuildOutput([frame]);
}

/** Drops a character that the limit cuts in two. */
function firstBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
