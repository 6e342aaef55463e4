import { LIMITS } from '@svc/core/plan/limits';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { ExecutionLedger, OutputChunk } from '../execution-ports.ts';
import { isResultPiece, storedOutput } from '../stored-output.ts';

/** An agent checks the length itself, so only one that breaks its rules sends more. */
const MAX_BYTES = LIMITS.transformResultBytes + LINK_LIMITS.outputFrameBytes;
/** A piece counts as at least this many bytes: only the last piece of a correct agent is small. */
const LEAST_PIECE_BYTES = 4 * 1024;

/** The received JSON of a transform's result, in pieces. An earlier hub may have stored its beginning. */
export class TransformResult {
  readonly #pieces: OutputChunk[] = [];
  #bytes: number;

  /** @param storedBytes of the result that an earlier hub has stored, at least */
  constructor(storedBytes: number) {
    this.#bytes = storedBytes;
  }

  /** False if the result would exceed its limit. The piece is then not added. */
  add(piece: OutputChunk): boolean {
    const bytes = this.#bytes + Math.max(piece.sse.length, LEAST_PIECE_BYTES);
    if (bytes > MAX_BYTES) return false;
    this.#bytes = bytes;
    this.#pieces.push(piece);
    return true;
  }

  /** The whole JSON. Rejects while the store cannot be read. */
  async json(
    ledger: Pick<ExecutionLedger, 'output'>,
    executionId: string,
    receivedSeq: number,
  ): Promise<string> {
    const first = this.#pieces[0]?.seq ?? receivedSeq + 1;
    const stored: OutputChunk[] = [];
    if (first > 1)
      for await (const chunk of storedOutput(ledger, executionId, 0))
        if (isResultPiece(chunk) && chunk.seq < first) stored.push(chunk);
    return Buffer.concat([...stored, ...this.#pieces].map(({ sse }) => sse)).toString();
  }
}
