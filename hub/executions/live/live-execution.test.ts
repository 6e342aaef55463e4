import { expect, test } from 'bun:test';
import { lostBecause } from '@svc/core/execution/outcome';
import { refuse } from '@svc/core/refusal';
import { MovableClock } from '../../../test/movable-clock.ts';
import { chunk, newExecution } from '../../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../../platform/db/fixtures/stores.ts';
import type { ExecutionLedger, OutputChunk } from '../execution-ports.ts';
import { RESULT_PIECE } from '../stored-output.ts';
import { LiveExecution } from './live-execution.ts';

const store = storeOfTests();

/** An execution that runs here, on the real store but for what is given. */
async function running(more: Partial<Pick<ExecutionLedger, 'output'>> = {}) {
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
    storedBytes: 0,
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
