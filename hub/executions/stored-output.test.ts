// Reads of stored output let calls run: SQLite reads on the serving thread (decision 62, reads apart from calls).
import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { encodeEvent } from '@svc/core/execution/sse';
import type { Store } from '../build/create-store.ts';
import { newExecution } from '../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../platform/db/fixtures/stores.ts';
import type { ExecutionLedger } from './execution-ports.ts';
import { collectStored, findLastEvents, storedOutput } from './stored-output.ts';

/** With the cheapest reads they take many slices of time. */
const PIECES = 20_000;
const PIECE = new TextEncoder().encode(encodeEvent({ type: 'output', data: 'one of many lines' }));

/** An execution of many pieces with one event each. */
async function manyPieces({ executions }: Store): Promise<string> {
  const { id } = newExecution();
  await executions.accept(newExecution({ id }));
  const all = Array.from({ length: PIECES }, (_, place) => ({
    executionId: id,
    seq: place + 1,
    sse: PIECE,
    endings: undefined,
  }));
  for (let from = 0; from < PIECES; from += 5_000) await executions.append(all.slice(from, from + 5_000));
  return id;
}

/** The same store, whose reads are counted. */
function counted(stored: Pick<ExecutionLedger, 'output' | 'outputBack'>) {
  let pieces = 0;
  const count = async <Row>(found: Promise<Row[]>) => {
    pieces += (await found).length;
    return await found;
  };
  const ledger: Pick<ExecutionLedger, 'output' | 'outputBack'> = {
    output: (...given) => count(stored.output(...given)),
    outputBack: (...given) => count(stored.outputBack(...given)),
  };
  return { ledger, read: () => pieces };
}

/** Work that is done, and how many turns of the event loop there were meanwhile. */
async function turnsDuring<Result>(work: Promise<Result>): Promise<{ result: Result; turns: number }> {
  const state = { isDone: false, turns: 0 };
  const done = work.finally(() => {
    state.isDone = true;
  });
  while (!state.isDone) {
    await setImmediate();
    state.turns += 1;
  }
  return { result: await done, turns: state.turns };
}

onBothDatabases(({ shared }) => {
  test('all events before the last ones are counted, and other work runs meanwhile', async () => {
    const store = await shared();
    const id = await manyPieces(store);
    const { result, turns } = await turnsDuring(findLastEvents(store.executions, id, 1));
    expect([result.skipped.events, result.from]).toEqual([PIECES - 1, { seq: PIECES, events: 0 }]);
    expect(turns).toBeGreaterThan(1);
    const whole = await turnsDuring(Array.fromAsync(storedOutput(store.executions, id, 0)));
    expect(whole.result.map(({ seq }) => seq)).toEqual(Array.from({ length: PIECES }, (_, at) => at + 1));
    expect(whole.turns).toBeGreaterThan(1);
  }, 60_000);

  test('the counting stops for a reader that leaves', async () => {
    const store = await shared();
    const id = await manyPieces(store);
    const { ledger, read } = counted(store.executions);
    const leave = new AbortController();
    const found = findLastEvents(ledger, id, 1, { signal: leave.signal });
    // Like the abort of a request, this is an event of the loop.
    await setImmediate();
    leave.abort();
    await found;
    expect(read()).toBeGreaterThan(0);
    expect(read()).toBeLessThan(PIECES / 2);
  }, 60_000);

  test('nothing is read beyond the limit of a collected output', async () => {
    const store = await shared();
    const id = await manyPieces(store);
    const { ledger, read } = counted(store.executions);
    const output = await collectStored(ledger, id, 1_000);
    expect([output.text.length, output.isTruncated]).toEqual([1_000, true]);
    expect(read()).toBeLessThan(200);
    expect((await collectStored(store.executions, id, 1_000_000)).isTruncated).toBe(false);
  }, 60_000);
});
