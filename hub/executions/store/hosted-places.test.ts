// How many hosted executions of a workspace run, and how many have this month: decisions 46 and 50.
import { expect, test } from 'bun:test';
import type { Store } from '../../build/create-store.ts';
import type { HostedStart } from '../../hosted/hosted-ports.ts';
import {
  auditEntry,
  NOW_MS,
  newExecution,
  newId,
  newWorkspace,
  succeeded,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

const MONTH = '2026-11';
const PERIOD = '2026-11 hosted';
const PROCESS = { name: 'hosted', instance: 'i1', boot: 'b1' };

const claimOf = (workspaceId: string, hosted: { limit?: number; concurrent?: number } = {}) =>
  ({
    workspaceId,
    period: MONTH,
    limit: 50_000,
    hosted: { period: PERIOD, limit: 100, concurrent: 5, ...hosted },
  }) as const;

const ofHosted = (workspaceId: string, more = {}) =>
  newExecution({ workspaceId, agentName: 'hosted', ...more });

const NOBODY = { agentName: undefined, agentInstance: undefined, agentBoot: undefined };
const queued = (workspaceId: string) => newExecution({ workspaceId, state: 'queued', ...NOBODY });

function startOf(executionId: string, workspaceId: string, more: Partial<HostedStart> = {}): HostedStart {
  const claim = claimOf(workspaceId);
  const nowMs = NOW_MS + 7;
  return {
    executionId,
    process: PROCESS,
    hubId: 'hub1',
    nowMs,
    timeoutSec: 30,
    claim,
    runId: undefined,
    ...more,
  };
}

async function outcomes(calls: readonly Promise<{ kind: string }>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { kind } of await Promise.all(calls)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

onBothDatabases(({ shared, open, newLocation }) => {
  const accept = (store: Store, workspaceId: string, hosted = {}) =>
    store.executions.accept(ofHosted(workspaceId), claimOf(workspaceId, hosted));

  test('of 100 at once through two hubs, five begin, and what is refused takes nothing', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const workspaceId = newId();
    const calls = Array.from({ length: 100 }, (_, index) => accept(index % 2 ? one : other, workspaceId));
    expect(await outcomes(calls)).toEqual({ stored: 5, no_place: 95 });
    expect(await one.hosted.running(workspaceId)).toBe(5);
    expect(await one.executions.quotaUsed(workspaceId, PERIOD)).toBe(5);
    expect(await one.executions.quotaUsed(workspaceId, MONTH)).toBe(5);
  });

  test('queued calls and new calls share the slots', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const workspaceId = newId();
    const waiting = Array.from({ length: 20 }, () => queued(workspaceId));
    await Promise.all(waiting.map((execution) => one.executions.accept(execution)));
    const begun = waiting.map(async ({ id }) => ({
      kind: await other.hosted.begin(startOf(id, workspaceId)),
    }));
    const called = Array.from({ length: 20 }, () => accept(one, workspaceId));
    const { begun: started = 0, stored = 0, ...refused } = await outcomes([...begun, ...called]);
    expect([started + stored, refused]).toEqual([5, { no_place: 35 }]);
    expect(await one.hosted.running(workspaceId)).toBe(5);
  });

  test('a place is free again however its execution ends, once', async () => {
    const { executions, hosted } = await shared();
    const workspaceId = newId();
    const ended = [ofHosted(workspaceId), ofHosted(workspaceId)];
    for (const execution of ended) await executions.accept(execution, claimOf(workspaceId));
    const [first, second] = ended.map(({ id }) => id) as [string, string];
    await executions.finish(succeeded(first, { state: 'lost' }), []);
    expect(await hosted.running(workspaceId)).toBe(1);
    // It proves what had become of it: nothing is given back twice.
    await executions.finish(succeeded(first), []);
    await executions.finish(succeeded(second, { state: 'cancelled' }), []);
    expect(await hosted.running(workspaceId)).toBe(0);
    const more = Array.from({ length: 9 }, () =>
      executions.accept(ofHosted(workspaceId), claimOf(workspaceId)),
    );
    expect(await outcomes(more)).toEqual({ stored: 5, no_place: 4 });
  });

  test('the same again, as after an answer that was lost, takes one place and one unit', async () => {
    const { executions, hosted } = await shared();
    const workspaceId = newId();
    const last = ofHosted(workspaceId);
    const one = { concurrent: 1, limit: 1 };
    const accept = () => executions.accept(last, claimOf(workspaceId, one));
    expect([await accept(), await accept()]).toEqual([
      { kind: 'stored' },
      { kind: 'stored', wasThere: true },
    ]);
    await executions.finish(succeeded(last.id), []);
    const waiting = queued(workspaceId);
    await executions.accept(waiting);
    const start = startOf(waiting.id, workspaceId, { claim: claimOf(workspaceId, { concurrent: 1 }) });
    expect([await hosted.begin(start), await hosted.begin(start)]).toEqual(['begun', 'begun']);
    expect(await hosted.running(workspaceId)).toBe(1);
  });

  test('the month of the hosted runner refuses by itself, and takes nothing of the other', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const calls = Array.from({ length: 20 }, () =>
      executions.accept(ofHosted(workspaceId), claimOf(workspaceId, { limit: 3, concurrent: 50 })),
    );
    expect(await outcomes(calls)).toEqual({ stored: 3, hosted_quota_exceeded: 17 });
    expect(await executions.quotaUsed(workspaceId, MONTH)).toBe(3);
  });

  test('an execution that never ran returns both units', async () => {
    const { executions } = await shared();
    const workspaceId = newId();
    const execution = ofHosted(workspaceId);
    const claim = claimOf(workspaceId);
    await executions.accept(execution, claim);
    await executions.finish(succeeded(execution.id, { state: 'rejected' }), [], claim);
    expect(await executions.quotaUsed(workspaceId, PERIOD)).toBe(0);
    expect(await executions.quotaUsed(workspaceId, claim.period)).toBe(0);
  });

  test('an execution that begins is recorded as running on its host, with the time limit of its plan', async () => {
    const { executions, hosted } = await shared();
    const workspaceId = newId();
    const waiting = queued(workspaceId);
    await executions.accept(waiting);
    expect(await hosted.begin(startOf(waiting.id, workspaceId))).toBe('begun');
    expect(await executions.find(waiting.id)).toMatchObject({
      state: 'running',
      agentName: 'hosted',
      agentInstance: 'i1',
      timeoutSec: 30,
      startedAtMs: NOW_MS + 7,
    });
    await executions.finish(succeeded(waiting.id), []);
    expect(await hosted.begin(startOf(waiting.id, workspaceId))).toBe('not_queued');
    expect(await executions.quotaUsed(workspaceId, PERIOD)).toBe(1);
  });

  test('a run keeps to the host of its first step, though two steps begin at the same moment', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const workspaceId = newId();
    const runId = newId();
    const steps = [queued(workspaceId), queued(workspaceId)] as const;
    for (const step of steps) await one.executions.accept(step);
    const begun = await Promise.all([
      one.hosted.begin(startOf(steps[0].id, workspaceId, { runId })),
      other.hosted.begin(
        startOf(steps[1].id, workspaceId, { runId, process: { ...PROCESS, instance: 'i2' } }),
      ),
    ]);
    expect(begun.toSorted()).toEqual(['begun', 'pinned_elsewhere']);
    expect(await one.hosted.hostOf(runId)).toBe(begun[0] === 'begun' ? 'i1' : 'i2');
    expect(await one.hosted.running(workspaceId)).toBe(1);
  });

  test('a network is what the operator allows one workspace, and that is on record', async () => {
    const store = await shared();
    const [{ workspaceId }, other] = [await newWorkspace(store), await newWorkspace(store)];
    const entry = auditEntry(workspaceId, { action: 'workspace.hosted_network_changed' });
    await store.hosted.setNetwork(true, entry);
    expect(await store.hosted.mayUseNetwork(workspaceId)).toBe(true);
    expect(await store.hosted.mayUseNetwork(other.workspaceId)).toBe(false);
    await store.executions.accept(ofHosted(workspaceId), claimOf(workspaceId));
    expect(await store.hosted.mayUseNetwork(workspaceId)).toBe(true);
    await store.hosted.setNetwork(false, entry);
    expect(await store.hosted.mayUseNetwork(workspaceId)).toBe(false);
  });
});
