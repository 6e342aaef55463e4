import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { join } from 'node:path';
import { MovableClock } from '../../test/movable-clock.ts';
import { type TemporaryFolder, temporaryFolder } from '../../test/temporary-folder.ts';
import { createStore, type Store } from '../build/create-store.ts';
import { failureOf } from '../platform/db/fixtures/failure-of.ts';
import { NOW_MS, newExecution, quota, STORE_OPTIONS } from '../platform/db/fixtures/samples.ts';
import { workerUrl } from '../platform/db/sqlite/worker-url.ts';
import { unavailable } from '../platform/db/unavailable.ts';
import { type AcceptDeps, acceptExecution } from './accept-execution.ts';

let folder: TemporaryFolder;
let store: Store;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(async () => {
  await store[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A real store whose first threads die of some values; what comes after them does not. */
async function openMortal(deaths: number): Promise<void> {
  let threads = 0;
  const startWorker = () => {
    threads += 1;
    const mortal = new URL('../platform/db/fixtures/mortal-writer.ts', import.meta.url);
    return new Worker(threads <= deaths ? mortal : workerUrl('hub/platform/db/sqlite/writer-worker.ts'));
  };
  const file = join(folder.path, 'store.db');
  const location = { kind: 'sqlite', file, busyTimeoutMs: 50, startWorker, onWriterDeath: () => {} } as const;
  store = await createStore(location, STORE_OPTIONS);
}

const accept = (execution: ReturnType<typeof newExecution>) =>
  acceptExecution(
    // The end of a test may come before the last thing that is done in the background.
    { ledger: store.executions, clock: new MovableClock(), reportBug: () => {} },
    execution,
    quota(3),
    undefined,
  );

const used = () => store.executions.quotaUsed('w1', '2026-11');

/** Background work ends with a final state. */
async function settled(id: string) {
  for (;;) {
    const execution = await store.executions.find(id);
    if (execution !== undefined && execution.state !== 'running') return execution;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test.each(['bug after', 'bug before'])(
  'an acceptance whose answer was lost (%s it was stored) is made once, and the call continues',
  async (slug) => {
    await openMortal(1);
    const execution = newExecution({ slug });
    expect(await accept(execution)).toEqual({ kind: 'stored' });
    expect(await store.executions.find(execution.id)).toMatchObject({ state: 'running' });
    expect(await used()).toBe(1);
  },
);

test.each(['bug after', 'bug before'])(
  'when the second answer is lost too (%s), the caller is refused, and nothing is left that seems to run',
  async (slug) => {
    await openMortal(2);
    const execution = newExecution({ slug, sealedArgs: 'sealed' });
    expect(await failureOf(accept(execution))).toMatchObject({
      code: 'unavailable',
      details: { execution_id: execution.id },
    });
    expect(await settled(execution.id)).toMatchObject({ state: 'rejected', reason: 'hub_restart' });
    expect((await settled(execution.id)).sealedArgs).toBeUndefined();
    expect(await used()).toBe(0);
  },
);

/** A hub that gets no answer from the store to two acceptances, and what another hub does before the third. */
async function acceptUnanswered(state: 'queued' | 'running', meanwhile: (id: string) => Promise<unknown>) {
  await openMortal(0);
  const { executions } = store;
  const rejected = Promise.withResolvers<boolean>();
  const noted = async (write: Promise<boolean>) => {
    rejected.resolve(await write);
    return await rejected.promise;
  };
  let acceptances = 0;
  const ledger: AcceptDeps['ledger'] = {
    async accept(...call) {
      acceptances += 1;
      if (acceptances === 3) await meanwhile(execution.id);
      const acceptance = await executions.accept(...call);
      if (acceptances < 3) throw unavailable('write', 'the connection was lost', true);
      return acceptance;
    },
    find: (id) => executions.find(id),
    finish: (...finish) => noted(executions.finish(...finish)),
    finishQueued: (...finish) => noted(executions.finishQueued(...finish)),
  };
  const execution = newExecution({ state, asynchronous: true });
  const deps = { ledger, clock: new MovableClock(), reportBug: rejected.reject };
  expect(await failureOf(acceptExecution(deps, execution, quota(3), undefined))).toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^whether the call was accepted is not known/),
    details: { execution_id: execution.id },
  });
  return { isRejected: await rejected.promise, now: await executions.find(execution.id) };
}

const AT_OTHER = { name: 'default', instance: 'i1', boot: 'b1', hubId: 'hub2', nowMs: NOW_MS };

test.each([
  ['queued, and that another hub has begun', (id: string) => store.executions.begin(id, AT_OTHER)],
  [
    'running, and that another hub has taken over',
    (id: string) => store.executions.claim(id, 'hub1', 'hub2'),
  ],
] as const)('a call that was stored as %s meanwhile, is not rejected', async (stored, meanwhile) => {
  const state = stored.startsWith('queued') ? 'queued' : 'running';
  const { isRejected, now } = await acceptUnanswered(state, meanwhile);
  expect(isRejected).toBe(false);
  expect(now).toMatchObject({ state: 'running', hubId: 'hub2' });
  expect(await used()).toBe(1);
});

test('a call that was stored as queued, and that another hub has claimed and not begun, is rejected there', async () => {
  const { now } = await acceptUnanswered('queued', (id) => store.executions.claimQueued(id, 'hub1', 'hub2'));
  expect(now).toMatchObject({ state: 'rejected', reason: 'hub_restart', hubId: 'hub2' });
  expect(await used()).toBe(0);
});

test('an acceptance that was certainly not stored is not tried again', async () => {
  await openMortal(0);
  using other = new Database(join(folder.path, 'store.db'));
  other.run('PRAGMA busy_timeout = 10000');
  other.run('BEGIN IMMEDIATE');
  const execution = newExecution();
  const failure = await failureOf(accept(execution));
  other.run('ROLLBACK');
  expect(failure).toMatchObject({ code: 'unavailable', details: {} });
  // A write that comes after it is through, so it would be there.
  await store.executions.accept(newExecution());
  expect(await store.executions.find(execution.id)).toBeUndefined();
});
