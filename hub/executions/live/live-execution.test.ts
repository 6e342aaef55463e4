import { expect, test } from 'bun:test';
import { lostBecause } from '@svc/core/execution/outcome';
import { LIMITS } from '@svc/core/plan/limits';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { refuse } from '@svc/core/refusal';
import { MovableClock } from '../../../test/movable-clock.ts';
import { chunk, newExecution } from '../../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../../platform/db/fixtures/stores.ts';
import type { ExecutionLedger, OutputChunk } from '../execution-ports.ts';
import { RESULT_PIECE } from '../stored-output.ts';
import { LiveExecution } from './live-execution.ts';

const store = storeOfTests();

/** An execution that runs here, on the real store but for what is given. */
async function running(more: Partial<Pick<ExecutionLedger, 'append' | 'output'>> = {}, storedBytes = 0) {
  const execution = newExecution();
  const { executions } = store();
  await executions.accept(execution);
  const troubles: unknown[] = [];
  let takenCount = 0;
  const live = new LiveExecution({
    id: execution.id,
    timeoutSec: 60,
    hubId: execution.hubId,
    storedSeq: 0,
    storedBytes,
    quota: undefined,
    ledger: {
      append: (chunks) => executions.append(chunks),
      finish: (...finish) => executions.finish(...finish),
      find: (id) => executions.find(id),
      output: (...range) => executions.output(...range),
      ...more,
    },
    clock: new MovableClock(),
    onOutput: () => {},
    onSafe: () => {},
    alertsOf: async () => [],
    onEnded: () => {},
    onTaken: () => (takenCount += 1),
    onTrouble: (error) => troubles.push(error),
  });
  return { id: execution.id, live, troubles, takenCount: () => takenCount };
}

const resultPiece = (executionId: string, seq: number, text: string): OutputChunk => ({
  executionId,
  seq,
  sse: new TextEncoder().encode(text),
  endings: RESULT_PIECE,
});

const WITH_DATA = { kind: 'exited', exit_code: 0, duration_ms: 1, transformed: { kind: 'data' } } as const;

test('the end of an execution with a result is stored, though the store was unavailable when the result was read', async () => {
  let reads = 0;
  const { id, live, troubles } = await running({
    async output(...range) {
      reads += 1;
      if (reads === 1) throw refuse('unavailable', 'the store cannot be read: it fails over');
      return await store().executions.output(...range);
    },
  });
  live.receive(chunk(id, 1, 'a line on stderr'));
  live.receive(resultPiece(id, 2, '{"a":'));
  live.receive(resultPiece(id, 3, '1}'));
  live.end(WITH_DATA, 5);
  expect(await live.ended).toMatchObject({ state: 'succeeded', data: '{"a":1}' });
  expect(troubles).toMatchObject([{ code: 'unavailable' }]);
  expect(await store().executions.find(id)).toMatchObject({ state: 'succeeded', data: '{"a":1}' });
});

test('an execution is settled when another hub has it, and when its end is stored', async () => {
  const moved = await running();
  moved.live.moved();
  await moved.live.settled;
  const claimed = await running();
  await store().executions.claim(claimed.id, 'hub1', 'hub2');
  claimed.live.finish(lostBecause('a test'), 5);
  await claimed.live.settled;
  expect([moved.takenCount(), claimed.takenCount()]).toEqual([1, 1]);
  for (const { id } of [moved, claimed])
    expect(await store().executions.find(id)).toMatchObject({ state: 'running' });
  const ended = await running();
  ended.live.end({ kind: 'exited', exit_code: 0, duration_ms: 1 }, 5);
  await ended.live.settled;
  expect(await store().executions.find(ended.id)).toMatchObject({ state: 'succeeded' });
});

test('a reader that joins gets none of the result as output, though the store does not have it yet', async () => {
  const { id, live } = await running({ append: () => Promise.reject(refuse('unavailable', 'no writes')) });
  live.receive(chunk(id, 1, 'a line on stderr'));
  live.receive(resultPiece(id, 2, '{"total":3}'));
  expect(live.follow().unstored.map(({ seq }) => seq)).toEqual([1]);
});

const PIECE = 'x'.repeat(LINK_LIMITS.outputTargetBytes);
const PIECES = LIMITS.transformResultBytes / PIECE.length;
const FRAME_PIECES = LINK_LIMITS.outputFrameBytes / PIECE.length;

test('a result that is longer than its limit and a frame is refused, and nothing of the rest is kept', async () => {
  const { id, live } = await running();
  for (let seq = 1; seq <= PIECES + FRAME_PIECES; seq += 1)
    expect(live.receive(resultPiece(id, seq, PIECE))).toBe('taken');
  const { receivedSeq } = live;
  expect(live.receive(resultPiece(id, receivedSeq + 1, 'x'))).toBe('too_long');
  expect(live.receivedSeq).toBe(receivedSeq);
});

test('a result in tiny pieces is refused before their number costs memory', async () => {
  const { id, live } = await running();
  let pieces = 0;
  while (pieces < 10_000 && live.receive(resultPiece(id, pieces + 1, '1')) === 'taken') pieces += 1;
  expect(pieces).toBeLessThan(3_000);
});

test('a result counts what an earlier hub has stored of it', async () => {
  const stored = LIMITS.storedOutputBytes + LIMITS.transformResultBytes + LINK_LIMITS.outputFrameBytes;
  const { id, live } = await running({}, stored);
  expect(live.receive(resultPiece(id, 1, 'x'))).toBe('too_long');
});

test('a lot of output is written in parts that do not delay the writes of others', async () => {
  const writes: number[] = [];
  const all = Promise.withResolvers<void>();
  let left = LIMITS.transformResultBytes;
  const { id, live } = await running({
    async append(chunks) {
      const bytes = chunks.reduce((sum, { sse }) => sum + sse.length, 0);
      writes.push(bytes);
      left -= bytes;
      if (left === 0) all.resolve();
    },
  });
  for (let seq = 1; seq <= PIECES; seq += 1) live.receive(resultPiece(id, seq, PIECE));
  await all.promise;
  expect(Math.max(...writes)).toBe(LINK_LIMITS.windowBytes);
});
