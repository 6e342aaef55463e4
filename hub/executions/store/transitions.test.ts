import { expect, test } from 'bun:test';
import { EXECUTION_NEXT, type ExecutionState } from '@svc/core/execution/state';
import { chunk, NOW_MS, newExecution, newId, quota, succeeded } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { ExecutionLedger, Finish } from '../execution-ports.ts';

const FINAL_STATES = ['succeeded', 'failed', 'timed_out', 'cancelled', 'lost', 'rejected'] as const;
/** The states that an execution reaches without an approval or a schedule, and the way to each. */
const REACHABLE = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'rejected',
] as const;

const AGENT = { name: 'backup', instance: 'i2', boot: 'b2', hubId: 'hub2', nowMs: NOW_MS + 5 };

async function executionIn(executions: ExecutionLedger, state: (typeof REACHABLE)[number]): Promise<string> {
  const accepted = state === 'queued' || state === 'rejected' ? state : 'running';
  const execution = newExecution({ state: accepted });
  await executions.accept(execution);
  if (state !== accepted)
    await executions.finish(succeeded(execution.id, { state: state as Finish['state'] }), []);
  return execution.id;
}

onBothDatabases(({ shared, open, newLocation }) => {
  test('every transition that the table of core has can be stored, and no other', async () => {
    const { executions } = await shared();
    for (const from of REACHABLE) {
      for (const to of FINAL_STATES) {
        const id = await executionIn(executions, from);
        const allowed = (EXECUTION_NEXT[from] as readonly ExecutionState[]).includes(to);
        const stored = await executions.finish(
          succeeded(id, { state: to, error: 'new', endedAtMs: NOW_MS + 99 }),
          [],
        );
        expect({ from, to, stored }).toEqual({ from, to, stored: allowed });
        const { state, error } = (await executions.find(id)) ?? {};
        expect({ from, to, state, error }).toEqual(
          allowed ? { from, to, state: to, error: 'new' } : { from, to, state: from, error: undefined },
        );
      }
    }
  }, 60_000);

  test('the times of the output are stored with the end, and read apart from the execution', async () => {
    const { executions } = await shared();
    const lineTimes = [
      [1, 0],
      [40, 3_600_000],
    ] as const;
    const id = await executionIn(executions, 'running');
    expect(await executions.lineTimes(id)).toBeUndefined();
    await executions.finish(succeeded(id, { lineTimes }), []);
    expect<unknown>(await executions.lineTimes(id)).toEqual(lineTimes);
    expect(await executions.find(id)).not.toHaveProperty('lineTimes');
    const without = await executionIn(executions, 'succeeded');
    expect(await executions.lineTimes(without)).toBeUndefined();
  });

  test('only what is queued begins, and then belongs to the agent and the hub that began it', async () => {
    const { executions } = await shared();
    for (const from of REACHABLE) {
      const id = await executionIn(executions, from);
      expect(await executions.begin(id, AGENT)).toBe(from === 'queued');
      const { state, agentName, agentInstance, hubId } = (await executions.find(id)) ?? {};
      if (from === 'queued')
        expect({ state, agentName, agentInstance, hubId }).toEqual({
          state: 'running',
          agentName: 'backup',
          agentInstance: 'i2',
          hubId: 'hub2',
        });
      else
        expect({ state, agentName, agentInstance, hubId }).toEqual({
          state: from,
          agentName: 'default',
          agentInstance: 'i1',
          hubId: 'hub1',
        });
    }
    expect(await executions.begin(newId(), AGENT)).toBe(false);
  });

  test('of hubs that begin one execution at the same moment, one does', async () => {
    const { executions } = await shared();
    const id = await executionIn(executions, 'queued');
    const hubs = Array.from({ length: 16 }, (_, index) => `hub${index}`);
    const begun = await Promise.all(hubs.map((hubId) => executions.begin(id, { ...AGENT, hubId })));
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await executions.find(id)).toMatchObject({
      state: 'running',
      hubId: hubs[begun.indexOf(true)],
      startedAtMs: NOW_MS + 5,
    });
  });

  test('of endings at the same moment, one is stored whole and the others leave nothing', async () => {
    const { executions } = await shared();
    const id = await executionIn(executions, 'running');
    const states = ['succeeded', 'failed', 'timed_out', 'cancelled'] as const;
    const endings = Array.from({ length: 24 }, (_, index) => ({
      finish: succeeded(id, { state: states[index % 4] ?? 'failed', exitCode: index, data: `${index}` }),
      chunks: [chunk(id, 1, `first of ${index}`), chunk(id, 2, `last of ${index}`)],
    }));
    const stored = await Promise.all(endings.map(({ finish, chunks }) => executions.finish(finish, chunks)));
    expect(stored.filter(Boolean)).toHaveLength(1);
    const winner = endings[stored.indexOf(true)];
    const { executionId: _, ...ended } = winner?.finish ?? succeeded('');
    expect(await executions.find(id)).toMatchObject({ ...ended, lastSeq: 2, late: false });
    expect(await executions.output(id, 0, 10)).toEqual(winner?.chunks ?? []);
  });

  test('an ending is stored with its last output, and counts what is new of it', async () => {
    const { executions } = await shared();
    const id = await executionIn(executions, 'running');
    const chunks = [1, 2, 3, 4].map((seq) => chunk(id, seq, 'x'.repeat(seq)));
    await executions.append(chunks.slice(0, 2));
    // An agent that got no acknowledgement for the second one sends it again.
    expect(await executions.finish(succeeded(id), chunks.slice(1))).toBe(true);
    const bytes = chunks.reduce((sum, { sse }) => sum + sse.length, 0);
    expect(await executions.find(id)).toMatchObject({ state: 'succeeded', storedBytes: bytes, lastSeq: 4 });
    expect(await executions.output(id, 0, 10)).toEqual(chunks);
  });

  test('an ending may be all duplicates, or without any output', async () => {
    const { executions } = await shared();
    const [one, other] = [await executionIn(executions, 'running'), await executionIn(executions, 'running')];
    await executions.append([chunk(one, 1)]);
    await executions.finish(succeeded(one), [chunk(one, 1)]);
    expect(await executions.find(one)).toMatchObject({ storedBytes: chunk(one, 1).sse.length, lastSeq: 1 });
    await executions.finish(succeeded(other, { state: 'failed', exitCode: 3 }), []);
    expect(await executions.find(other)).toMatchObject({
      state: 'failed',
      exitCode: 3,
      storedBytes: 0,
      lastSeq: 0,
    });
  });

  test('an ending that is not allowed stores no output either', async () => {
    const { executions } = await shared();
    const id = await executionIn(executions, 'succeeded');
    expect(await executions.finish(succeeded(id, { state: 'failed' }), [chunk(id, 1), chunk(id, 2)])).toBe(
      false,
    );
    expect(await executions.output(id, 0, 10)).toEqual([]);
    expect(await executions.find(id)).toMatchObject({ storedBytes: 0, lastSeq: 0 });
    expect(await executions.finish(succeeded(newId()), [])).toBe(false);
  });

  test('a lost execution takes the end that the agent proves, and is marked late', async () => {
    const { executions } = await shared();
    const id = await executionIn(executions, 'running');
    await executions.finish(
      succeeded(id, { state: 'lost', exitCode: undefined, error: 'gone', errorCode: 'lost' }),
      [],
    );
    expect(await executions.find(id)).toMatchObject({ state: 'lost', late: false, error: 'gone' });
    expect(await executions.finish(succeeded(id), [chunk(id, 1)])).toBe(true);
    expect(await executions.find(id)).toMatchObject({
      state: 'succeeded',
      late: true,
      error: undefined,
      exitCode: 0,
    });
    expect(await executions.finish(succeeded(id, { state: 'failed' }), [])).toBe(false);
  });

  test('a refund gives one unit of the quota back, with the ending that asks for it or not at all', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const claim = quota(2, workspaceId);
    const [one, other] = [newExecution({ workspaceId, state: 'queued' }), newExecution({ workspaceId })];
    await executions.accept(one, claim);
    await executions.accept(other, claim);
    const rejection = succeeded(one.id, { state: 'rejected', reason: 'agent_offline', exitCode: undefined });
    expect(await executions.finish(rejection, [], claim)).toBe(true);
    expect(await executions.find(one.id)).toMatchObject({ state: 'rejected', reason: 'agent_offline' });
    expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(1);
    expect(await executions.finish(rejection, [], claim)).toBe(false);
    expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(1);
    expect(await executions.accept(newExecution({ workspaceId }), claim)).toEqual({ kind: 'stored' });
  });

  test('beginning once more, as after an answer that was lost, is the same beginning and no other', async () => {
    const { executions } = await shared();
    const id = await executionIn(executions, 'queued');
    expect(await executions.begin(id, AGENT)).toBe(true);
    expect(await executions.begin(id, AGENT)).toBe(true);
    for (const more of [{ hubId: 'hub3' }, { instance: 'i3' }, { nowMs: NOW_MS + 6 }])
      expect(await executions.begin(id, { ...AGENT, ...more })).toBe(false);
    await executions.finish(succeeded(id), []);
    expect(await executions.begin(id, AGENT)).toBe(false);
  });

  test("a hub's own decisions count only for its own executions", async () => {
    const { executions } = await shared();
    const id = await executionIn(executions, 'running');
    const lost = succeeded(id, { state: 'lost', exitCode: undefined });
    expect(await executions.finish({ ...lost, ifOfHub: 'hub2' }, [])).toBe(false);
    expect(await executions.finish({ ...lost, ifOfHub: 'hub1' }, [])).toBe(true);
  });

  test('only a queued execution can end as queued, and it returns its quota', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const queued = newExecution({ workspaceId, state: 'queued' });
    await executions.accept(queued, quota(2, workspaceId));
    const begun = await executionIn(executions, 'running');
    const cancelled = (id: string) => succeeded(id, { state: 'cancelled', exitCode: undefined });
    expect(await executions.finishQueued(cancelled(begun))).toBe(false);
    expect(await executions.finishQueued(cancelled(queued.id), quota(2, workspaceId))).toBe(true);
    expect(await executions.finishQueued(cancelled(queued.id), quota(2, workspaceId))).toBe(false);
    expect(await executions.find(queued.id)).toMatchObject({ state: 'cancelled', endedAtMs: NOW_MS + 12 });
    expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(0);
    expect(await executions.begin(queued.id, AGENT)).toBe(false);
  });

  test('a requested cancellation is stored while the execution runs, with its first time', async () => {
    const { executions } = await shared();
    for (const state of REACHABLE) {
      const id = await executionIn(executions, state);
      const asked = await executions.requestCancel(id, NOW_MS + 1);
      expect({ state, asked }).toEqual({ state, asked: state === 'running' });
      await executions.requestCancel(id, NOW_MS + 2);
      expect((await executions.find(id))?.cancelRequestedAtMs).toBe(asked ? NOW_MS + 1 : undefined);
    }
  });

  test('the cancels of a hub are those of its executions that still run', async () => {
    await using store = await open();
    const { executions } = store;
    const [one, other, ended, elsewhere] = [
      newExecution(),
      newExecution({ workspaceId: 'w0' }),
      newExecution(),
      newExecution({ hubId: 'hub2' }),
    ];
    for (const each of [one, other, ended, elsewhere, newExecution(), newExecution({ state: 'queued' })])
      await executions.accept(each);
    for (const { id } of [one, other, ended, elsewhere]) await executions.requestCancel(id, NOW_MS);
    await executions.finish(succeeded(ended.id), []);
    expect(await executions.cancelRequested('hub1')).toEqual([other.id, one.id]);
    expect(await executions.cancelRequested('hub2')).toEqual([elsewhere.id]);
    expect(await executions.cancelRequested('hub3')).toEqual([]);
  });

  test('queued executions of another hub are found and claimed, and those that have begun stay', async () => {
    await using store = await open();
    const { executions } = store;
    const waiting = { state: 'queued', asynchronous: true, hubId: 'hub1' } as const;
    const [waits, begun, own, called] = [
      newExecution(waiting),
      newExecution(waiting),
      newExecution({ ...waiting, hubId: 'hub2' }),
      newExecution({ ...waiting, asynchronous: false }),
    ];
    for (const execution of [waits, begun, own, called]) await executions.accept(execution);
    const found = await executions.queuedAtOtherHubs('hub2', 10);
    expect(found.map(({ id }) => id)).toEqual([waits.id, begun.id]);
    await executions.begin(begun.id, { ...AGENT, hubId: 'hub1' });
    expect(await executions.claimQueued(waits.id, 'hub1', 'hub2')).toBe(true);
    expect(await executions.claimQueued(waits.id, 'hub1', 'hub3')).toBe(false);
    expect(await executions.claimQueued(begun.id, 'hub1', 'hub2')).toBe(false);
    expect([await executions.find(waits.id), await executions.find(begun.id)]).toMatchObject([
      { hubId: 'hub2', state: 'queued' },
      { hubId: 'hub1', state: 'running' },
    ]);
  });

  test('two hubs that claim the executions of a third at once get different ones', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const ids = Array.from({ length: 60 }, () => newId());
    for (const id of ids) await one.executions.accept(newExecution({ id, hubId: 'gone' }));
    const claims = await Promise.all(
      ids.map((id) =>
        Promise.all([one.executions.claim(id, 'gone', 'one'), other.executions.claim(id, 'gone', 'other')]),
      ),
    );
    for (const [at, [toOne, toOther]] of claims.entries()) {
      expect(toOne).toBe(!toOther);
      expect((await one.executions.find(ids[at] ?? ''))?.hubId).toBe(toOne ? 'one' : 'other');
    }
    expect(await one.executions.owners()).not.toContain('gone');
  });

  test('a claim that is made again, as after an answer that was lost, still holds', async () => {
    const { executions } = await shared();
    const id = await executionIn(executions, 'running');
    expect(await executions.claim(id, 'hub1', 'hub2')).toBe(true);
    expect(await executions.claim(id, 'hub1', 'hub2')).toBe(true);
    expect(await executions.claim(id, 'hub1', 'hub3')).toBe(false);
  });

  test('sealed arguments are deleted when the agent has them: at its output, its end, or its confirmation', async () => {
    const { executions } = await shared();
    const sealed = async () => {
      const execution = newExecution({ sealedArgs: 'sealed' });
      await executions.accept(execution);
      return execution.id;
    };
    const [printed, ended, confirmed, other] = [
      await sealed(),
      await sealed(),
      await sealed(),
      await sealed(),
    ];
    await executions.append([chunk(printed, 1)]);
    await executions.finish(succeeded(ended), []);
    await executions.eraseSealedArgs(confirmed);
    for (const id of [printed, ended, confirmed])
      expect((await executions.find(id))?.sealedArgs).toBeUndefined();
    expect((await executions.find(other))?.sealedArgs).toBe('sealed');
  });

  test('a refund never makes the quota negative', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const id = await executionIn(executions, 'running');
    await executions.finish(succeeded(id), [], quota(undefined, workspaceId));
    expect(await executions.quotaUsed(workspaceId, '2026-11')).toBe(0);
  });
});
