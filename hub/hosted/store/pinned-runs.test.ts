// The pin of a pipeline run to its host is kept as long as the run, however long it takes (decision 49, the hosted runner).
import { expect, test } from 'bun:test';
import { advance } from '@svc/core/pipeline/run/advance';
import { graphOf } from '@svc/core/pipeline/run/graph';
import { newRun } from '@svc/core/pipeline/run/new-run';
import type { Store } from '../../build/create-store.ts';
import { DAY_MS, NOW_MS, newExecution, newId } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

const GRAPH = graphOf({
  slug: 'long',
  trigger: { type: 'manual', public: false, inputSchema: [] },
  nodes: [{ kind: 'step', id: 'one', endpoint: 'deploy', args: {}, env: {}, onFailure: 'stop' }],
  edges: [{ from: 'trigger', to: 'one' }],
});
const STATE = newRun(GRAPH, {});

async function begunRun(store: Store, workspaceId: string, createdAtMs: number) {
  const run = {
    id: newId(createdAtMs),
    workspaceId,
    pipelineId: newId(),
    pipelineVersion: 1,
    slug: 'long',
    trigger: 'call',
    callerKind: 'api_key',
    callerId: 'k1',
    rerunOf: undefined,
    readTokenHash: undefined,
    hubId: 'hub1',
    createdAtMs,
  } as const;
  const input = { kind: 'sealed', fields: 'fields', secrets: 'secrets' } as const;
  await store.pipelineRuns.start(run, STATE, { input, claims: [], sealedRequest: undefined, maxOpen: 9 });
  return run;
}

async function pin(store: Store, workspaceId: string, runId: string, nowMs: number): Promise<void> {
  const nobody = { agentName: undefined, agentInstance: undefined, agentBoot: undefined };
  const step = newExecution({ workspaceId, state: 'queued', ...nobody });
  await store.executions.accept(step);
  const hosted = { period: '2026-11 hosted', limit: 100, concurrent: 50 };
  const claim = { workspaceId, period: '2026-11', limit: 100, hosted };
  const process = { name: 'hosted', instance: 'i1', boot: 'b1' };
  const start = { executionId: step.id, process, hubId: 'hub1', nowMs, timeoutSec: 30, claim, runId };
  expect(await store.hosted.begin(start)).toBe('begun');
}

onBothDatabases(({ open }) => {
  test('a run of two months stays pinned to its host; the pin of a removed run is removed', async () => {
    await using store = await open();
    const workspaceId = newId();
    const longAgoMs = NOW_MS - 60 * DAY_MS;
    const long = await begunRun(store, workspaceId, longAgoMs);
    const ended = await begunRun(store, workspaceId, longAgoMs);
    const runIds = [long.id, ended.id, newId(longAgoMs)];
    for (const runId of runIds) await pin(store, workspaceId, runId, longAgoMs);
    const cancelled = advance(GRAPH, STATE, { kind: 'cancel_asked', atMs: longAgoMs });
    if (cancelled === undefined) throw new Error('a run cannot be cancelled');
    expect(
      await store.pipelineRuns.change(ended, STATE.head.revision, cancelled, { steps: [], alerts: [] }),
    ).toBe('stored');
    await store.sweep(NOW_MS);
    const hosts = await Promise.all(runIds.map((runId) => store.hosted.hostOf(runId)));
    expect(hosts).toEqual(['i1', undefined, undefined]);
  });
});
