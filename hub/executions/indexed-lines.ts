import { outputLines } from '@svc/core/tail/tail-line';
import type { ExecutionLedger } from './execution-ports.ts';
import { isResultPiece } from './stored-output.ts';

/** The bytes of stored events that are indexed at the beginning of an output, and as many at its end. */
const INDEXED_BYTES = 32 * 1024;
const MAX_CHUNKS_PER_READ = 4;
/** The chunks at the end that may hold the last bytes. */
const LAST_CHUNKS = 2;
const LINE_BREAK = 10;

/** The indexed lines of an execution's stored output: its first and its last 32 KiB, without the result of a transform. */
export async function indexedLines(
  ledger: Pick<ExecutionLedger, 'output'>,
  executionId: string,
  lastSeq: number,
): Promise<string[]> {
  const lines: string[] = [];
  let seq = 0;
  let left = INDEXED_BYTES;
  while (left > 0) {
    const chunks = await ledger.output(executionId, seq, MAX_CHUNKS_PER_READ);
    for (const chunk of chunks) {
      seq = chunk.seq;
      if (left > 0 && !isResultPiece(chunk)) lines.push(...firstLines(firstEvents(chunk.sse, left)));
      left -= chunk.sse.length;
      // The rest of this chunk belongs to the end.
      if (left < 0) seq = chunk.seq - 1;
      if (left <= 0) break;
    }
    if (chunks.length < MAX_CHUNKS_PER_READ && left > 0) return lines;
  }
  const last = await ledger.output(executionId, Math.max(seq, lastSeq - LAST_CHUNKS), LAST_CHUNKS);
  const end: string[][] = [];
  left = INDEXED_BYTES;
  for (const chunk of last.toReversed()) {
    if (left > 0 && !isResultPiece(chunk)) end.unshift(lastLines(lastEvents(chunk.sse, left)));
    left -= chunk.sse.length;
  }
  return [...lines, ...end.flat()];
}

/** The first lines, and no more of them than is indexed: one event can be much longer. */
function firstLines(sse: Uint8Array): string[] {
  const lines: string[] = [];
  let left = INDEXED_BYTES;
  for (const line of linesOf(sse)) {
    if (left <= 0) break;
    lines.push(line.slice(0, left));
    left -= line.length + 1;
  }
  return lines;
}

/** The same from the end. */
function lastLines(sse: Uint8Array): string[] {
  const lines: string[] = [];
  let left = INDEXED_BYTES;
  for (const line of [...linesOf(sse)].toReversed()) {
    if (left <= 0) break;
    lines.push(line.slice(-left));
    left -= line.length + 1;
  }
  return lines.reverse();
}

/** Ends at bytes that no correct agent sends. */
function* linesOf(sse: Uint8Array): Generator<string> {
  try {
    for (const { text } of outputLines(sse)) yield text;
  } catch {
    // The lines before them count.
  }
}

/** Whole events at the beginning, at least one. */
function firstEvents(sse: Uint8Array, bytes: number): Uint8Array {
  if (sse.length <= bytes) return sse;
  for (let at = bytes; at < sse.length; at += 1) if (isBorder(sse, at)) return sse.subarray(0, at + 2);
  return sse;
}

/** Whole events at the end, at least one. */
function lastEvents(sse: Uint8Array, bytes: number): Uint8Array {
  if (sse.length <= bytes) return sse;
  for (let at = sse.length - bytes; at > 0; at -= 1) if (isBorder(sse, at - 2)) return sse.subarray(at);
  return sse;
}

function isBorder(sse: Uint8Array, at: number): boolean {
  return sse[at] === LINE_BREAK && sse[at + 1] === LINE_BREAK;
}
