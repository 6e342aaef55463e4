import type { ExecutionLedger, OutputChunk } from './execution-ports.ts';

/** Chunks that are read from the store at once. */
const BATCH = 64;

/** In place of line endings: the bytes are a piece of the JSON that a transform gave, and no events. */
export const RESULT_PIECE = '"result"';

export function isResultPiece({ endings }: OutputChunk): boolean {
  return endings === RESULT_PIECE;
}

/** What is on record of an execution's output after `afterSeq`, in order. */
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
