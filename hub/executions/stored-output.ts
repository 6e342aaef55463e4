import type { ExecutionLedger, OutputChunk } from './execution-ports.ts';

/** Chunks in one read from the store. */
const BATCH = 64;

/** Replaces the line endings: the bytes are a part of a transform's JSON result, and no events. */
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
