import { expect, test } from 'bun:test';
import { encodeEvent } from '@svc/core/execution/sse';
import { findLastEvents } from './stored-output.ts';

const PIECES = 100;

/** A store of a hundred pieces with one event each, whose reader leaves during read number `leavesAt`. */
function storeOf(leavesAt?: number) {
  const leave = new AbortController();
  const reads: number[] = [];
  const outputBack = (_: string, beforeSeq: number, limit: number) => {
    if (reads.push(beforeSeq) === leavesAt) leave.abort();
    const last = Math.min(beforeSeq - 1, PIECES);
    const sse = new TextEncoder().encode(encodeEvent({ type: 'output', data: 'x' }));
    return Promise.resolve(
      Array.from({ length: Math.min(limit, last) }, (_, place) => ({
        executionId: 'id',
        seq: last - place,
        sse,
        endings: undefined,
      })),
    );
  };
  return { ledger: { outputBack }, signal: leave.signal, reads };
}

test('all events before the last ones are counted', async () => {
  const { ledger, signal, reads } = storeOf();
  const last = await findLastEvents(ledger, 'id', 1, { signal });
  expect([last.skipped.events, last.from.seq, reads.length]).toEqual([99, 100, 7]);
});

test('nothing more is read for a reader that has left', async () => {
  const { ledger, signal, reads } = storeOf(2);
  await findLastEvents(ledger, 'id', 1, { signal });
  expect(reads).toHaveLength(2);
});
