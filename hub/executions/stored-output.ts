import { type EncodedOutput, type EndingRun, rebuildOutput } from '@svc/core/execution/frame';
import type { ExecutionLedger, OutputChunk } from './execution-ports.ts';

/** Chunks in one read from the store. */
const BATCH = 64;

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
  let last = afterSeq;
  for (;;) {
    const chunks = await ledger.output(executionId, last, BATCH);
    yield* chunks;
    if (chunks.length < BATCH) return;
    last = chunks.at(-1)?.seq ?? last;
  }
}

/** Collects the output of a command from the events of its stream, up to a limit (decision 16, the buffered answer). */
export class CollectedOutput {
  readonly #limitBytes: number;
  #text = '';
  #bytes = 0;
  #isTruncated = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  get text(): string {
    return this.#text;
  }

  add(chunk: OutputChunk): void {
    if (this.#isTruncated) return;
    const text = plainText(chunk);
    const bytes = Buffer.byteLength(text);
    const room = this.#limitBytes - this.#bytes;
    this.#isTruncated = bytes > room;
    this.#bytes += Math.min(bytes, room);
    this.#text += bytes > room ? firstBytes(text, room) : text;
  }
}

/** The text of one piece of an execution's output. */
export function plainText({ sse, endings }: OutputChunk): string {
  const runs = endings === undefined ? [] : (JSON.parse(endings) as EndingRun[]);
  const frame: EncodedOutput = { sse, lines: 0, endings: runs };
  return rebuildOutput([frame]);
}

/** Leaves out a character that the limit cuts in two. */
function firstBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, bytes), { stream: true });
}
