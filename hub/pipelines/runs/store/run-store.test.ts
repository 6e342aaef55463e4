import { describe, expect, test } from 'bun:test';
import { pipelineAlert } from '@svc/core/alert/make-event';
import type { Pipeline, PipelineNode } from '@svc/core/pipeline/definition/pipeline';
import { advance } from '@svc/core/pipeline/run/advance';
import type { Change } from '@svc/core/pipeline/run/draft';
import type { RunEvent } from '@svc/core/pipeline/run/event';
import { type Graph, graphOf } from '@svc/core/pipeline/run/graph';
import { applyRunChange, newRun, type RetainedRun, retainedRun } from '@svc/core/pipeline/run/new-run';
import type { Store } from '../../../build/create-store.ts';
import type { NewStepExecution, StepOf } from '../../../executions/execution-ports.ts';
import {
  DAY_MS,
  NOW_MS,
  newExecution,
  newId,
  quota,
  succeeded,
} from '../../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../../platform/db/fixtures/stores.ts';
import type { NewRunParts, RecordedInput, RunFacts, RunIdempotency, StepStart } from '../run-ports.ts';

const NOTHING = { steps: [], alerts: [] };
const VALUES = { ref: 'main', nested: { n: [1, null] } };
const INPUT: RecordedInput = { kind: 'sealed', fields: 'sealed fields', secrets: 'sealed secrets' };
const ALONE: NewRunParts = { input: INPUT, claims: [], sealedRequest: undefined, maxOpen: 100 };

function pipelineRun(more: Partial<RunFacts> = {}): RunFacts {
  return {
    id: newId(),
    workspaceId: newId(),
    pipelineId: newId(),
    pipelineVersion: 1,
    slug: 'ship',
    trigger: 'call',
    callerKind: 'api_key',
    callerId: 'k1',
    rerunOf: undefined,
    readTokenHash: undefined,
    hubId: newId(),
    createdAtMs: NOW_MS,
    ...more,
  };
}

const step = (id: string): PipelineNode => ({
  kind: 'step',
  id,
  endpoint: 'deploy',
  args: {},
  env: {},
  onFailure: 'stop',
});
const CHAIN: Pipeline = {
  slug: 'ship',
  trigger: { type: 'manual', public: false, inputSchema: [] },
  nodes: [step('one'), step('two')],
  edges: [
    { from: 'trigger', to: 'one' },
    { from: 'one', to: 'two' },
  ],
};
const GRAPH: Graph = graphOf(CHAIN);

/** A new, stored run. */
async function begun(store: Store, more: Partial<RunFacts> = {}) {
  const run = pipelineRun(more);
  const state = newRun(GRAPH, VALUES);
  expect(await store.pipelineRuns.start(run, state, ALONE)).toEqual({ kind: 'stored' });
  return { run, state };
}

function changed(state: RetainedRun, event: RunEvent): Change {
  const change = advance(GRAPH, state, event);
  if (change === undefined) throw new Error('the event changes nothing');
  return change;
}

const STARTED: RunEvent = { kind: 'started', atMs: NOW_MS };

function stepStart(run: RunFacts, id: string, more: Partial<NewStepExecution> = {}): StepStart {
  const of: StepOf = { runId: run.id, id, attempt: 1, env: { A: 'b' }, agentName: undefined };
  const { workspaceId, hubId } = run;
  const execution = { ...newExecution({ workspaceId, hubId, asynchronous: true, ...more }), step: of };
  return { execution, quota: undefined, approval: undefined };
}

onBothDatabases(({ shared, open }) => {
  describe('a new run', () => {
    test('is stored with its input, all nodes and the signed request', async () => {
      const { pipelineRuns } = await shared();
      const run = pipelineRun();
      const state = newRun(GRAPH, VALUES);
      await pipelineRuns.start(run, state, { ...ALONE, sealedRequest: 'sealed' });
      expect(await pipelineRuns.find(run.id)).toEqual({
        ...run,
        head: state.head,
        cancelAskedAtMs: undefined,
      });
      expect(await pipelineRuns.input(run.id)).toEqual(INPUT);
      expect(await pipelineRuns.nodes(run.id)).toEqual([...state.nodes.values()]);
      expect(await pipelineRuns.sealedRequest(run.id)).toBe('sealed');
      expect(await pipelineRuns.start(run, state, ALONE)).toEqual({ kind: 'stored' });
    });

    test('is found by each of its idempotency keys, and a repeated one stores nothing', async () => {
      const { pipelineRuns } = await shared();
      const claim = (pipelineId: string, key: string): RunIdempotency => ({
        ...{ pipelineId, credential: 'c', key, requestHash: `hash of ${key}` },
        expiresAtMs: NOW_MS + DAY_MS,
      });
      const first = pipelineRun();
      const { pipelineId } = first;
      const start = (run: RunFacts, keys: readonly string[]) =>
        pipelineRuns.start(run, newRun(GRAPH, VALUES), {
          ...ALONE,
          claims: keys.map((key) => claim(pipelineId, key)),
        });
      expect(await start(first, ['delivery', 'signature'])).toEqual({ kind: 'stored' });
      expect(await start(first, ['delivery', 'signature'])).toEqual({ kind: 'stored' });
      const second = pipelineRun({ pipelineId });
      expect(await start(second, ['another', 'signature'])).toEqual({
        kind: 'repeated',
        runId: first.id,
        requestHash: 'hash of signature',
      });
      expect(await pipelineRuns.find(second.id)).toBeUndefined();
      expect(await start(second, ['another'])).toEqual({ kind: 'stored' });
    });
  });

  describe('a run with a key that it has twice', () => {
    test('is refused after some attempts, and stores nothing', async () => {
      const { pipelineRuns } = await shared();
      const run = pipelineRun();
      const claim = { pipelineId: run.pipelineId, credential: 'c', key: 'k', requestHash: 'h' };
      const twice = [claim, claim].map((one) => ({ ...one, expiresAtMs: NOW_MS + DAY_MS }));
      const start = pipelineRuns.start(run, newRun(GRAPH, VALUES), { ...ALONE, claims: twice });
      expect(await start.catch((error) => error.code)).toBe('unavailable');
      expect(await pipelineRuns.find(run.id)).toBeUndefined();
    });
  });

  describe('the input of a run', () => {
    test('from before inputs were sealed is read unchanged', async () => {
      const { pipelineRuns } = await shared();
      const run = pipelineRun();
      const input: RecordedInput = { kind: 'plain', fields: '{"ref":"main"}' };
      await pipelineRuns.start(run, newRun(GRAPH, VALUES), { ...ALONE, input });
      expect(await pipelineRuns.input(run.id)).toEqual(input);
    });

    test("loses its secret fields in the commit of the run's end, and not earlier", async () => {
      const { pipelineRuns } = await shared();
      const { run, state } = await begun(await shared());
      const started = changed(state, STARTED);
      await pipelineRuns.change(run, 0, started, { steps: [stepStart(run, 'one')], alerts: [] });
      expect(await pipelineRuns.input(run.id)).toEqual(INPUT);
      applyRunChange(state, started);
      const ended = { kind: 'step_ended', atMs: NOW_MS, step: 'one', attempt: 1, outcome: 'failed' } as const;
      const end = changed(state, ended);
      expect(await pipelineRuns.change(run, started.head.revision, end, NOTHING)).toBe('stored');
      expect(end.head.state).toBe('failed');
      expect(await pipelineRuns.input(run.id)).toEqual({ ...INPUT, secrets: undefined });
    });
  });

  describe('a workspace at its limit of open runs', () => {
    test('gets no further run; a repeated request still finds its run', async () => {
      const { pipelineRuns } = await shared();
      const workspaceId = newId();
      const claim = { credential: 'c', key: 'k', requestHash: 'h', expiresAtMs: NOW_MS + DAY_MS };
      const start = (run: RunFacts, maxOpen: number) =>
        pipelineRuns.start(run, newRun(GRAPH, VALUES), {
          ...ALONE,
          maxOpen,
          claims: [{ ...claim, pipelineId: 'p' }],
        });
      const first = pipelineRun({ workspaceId });
      expect(await start(first, 1)).toEqual({ kind: 'stored' });
      expect(await start(first, 1)).toEqual({ kind: 'stored' });
      const second = pipelineRun({ workspaceId });
      expect(await start(second, 1)).toEqual({ kind: 'repeated', runId: first.id, requestHash: 'h' });
      const third = () => pipelineRuns.start(second, newRun(GRAPH, VALUES), { ...ALONE, maxOpen: 1 });
      expect(await third()).toEqual({ kind: 'too_many_open' });
      expect(await pipelineRuns.find(second.id)).toBeUndefined();
      const change = changed(newRun(GRAPH, VALUES), { kind: 'cancel_asked', atMs: NOW_MS });
      await pipelineRuns.change(first, 0, change, NOTHING);
      expect(await third()).toEqual({ kind: 'stored' });
    });

    test('does not block other workspaces', async () => {
      const { pipelineRuns } = await shared();
      await begun(await shared());
      const other = pipelineRun();
      expect(await pipelineRuns.start(other, newRun(GRAPH, VALUES), { ...ALONE, maxOpen: 1 })).toEqual({
        kind: 'stored',
      });
    });
  });

  describe('a change of a run', () => {
    test('is stored with its nodes and the executions of its steps, once', async () => {
      const { pipelineRuns, executions } = await shared();
      const { run, state } = await begun(await shared());
      const change = changed(state, STARTED);
      const start = stepStart(run, 'one');
      const store = () => pipelineRuns.change(run, 0, change, { steps: [start], alerts: [] });
      expect(await store()).toBe('stored');
      // As after a lost answer.
      expect(await store()).toBe('stored');
      expect(await pipelineRuns.head(run.id)).toEqual(change.head);
      expect(await pipelineRuns.nodes(run.id, 0)).toEqual([...change.nodes]);
      expect(await pipelineRuns.executions(run.id)).toMatchObject([start.execution]);
      expect((await executions.find(start.execution.id))?.step).toEqual(start.execution.step);
      const found = await pipelineRuns.find(run.id);
      const nodes = await pipelineRuns.nodes(run.id);
      const again = retainedRun({ input: VALUES, head: found?.head ?? state.head, nodes });
      applyRunChange(state, change);
      expect(again).toEqual(state);
    });

    test('that was decided on an older revision or at another hub stores nothing', async () => {
      const { pipelineRuns, executions } = await shared();
      const { run, state } = await begun(await shared());
      const change = changed(state, STARTED);
      const ofOther = { ...run, hubId: newId() };
      const tries = [
        [ofOther, 0],
        [run, 1],
      ] as const;
      for (const [of, revision] of tries) {
        const start = stepStart(run, 'one');
        const along = { steps: [start], alerts: [] };
        expect(await pipelineRuns.change(of, revision, change, along)).toBe('overtaken');
        expect(await executions.find(start.execution.id)).toBeUndefined();
      }
      expect(await pipelineRuns.head(run.id)).toEqual(state.head);
    });

    test('is stored only by the hub that has claimed the run', async () => {
      const { pipelineRuns } = await shared();
      const { run, state } = await begun(await shared());
      const [here, there] = [newId(), newId()];
      const claims = [here, there].map((hubId) => pipelineRuns.claim(run.id, run.hubId, hubId));
      expect((await Promise.all(claims)).toSorted()).toEqual([false, true]);
      const change = changed(state, STARTED);
      expect(await pipelineRuns.change(run, 0, change, NOTHING)).toBe('overtaken');
      const owner = (await pipelineRuns.find(run.id))?.hubId ?? '';
      expect(await pipelineRuns.change({ ...run, hubId: owner }, 0, change, NOTHING)).toBe('stored');
    });

    test('whose steps exceed the monthly quota stores nothing, and uses no quota', async () => {
      const { pipelineRuns, executions } = await shared();
      const { run, state } = await begun(await shared());
      const steps = ['one', 'two'].map((id) => ({ ...stepStart(run, id), quota: quota(1, run.workspaceId) }));
      const change = changed(state, STARTED);
      expect(await pipelineRuns.change(run, 0, change, { steps, alerts: [] })).toBe('quota_exceeded');
      expect(await executions.quotaUsed(run.workspaceId, '2026-11')).toBe(0);
      expect(await pipelineRuns.head(run.id)).toEqual(state.head);
      expect(await pipelineRuns.change(run, 0, change, { steps: steps.slice(0, 1), alerts: [] })).toBe(
        'stored',
      );
    });

    test('publishes its alerts', async () => {
      await using store = await open();
      const { run, state } = await begun(store);
      const base = { id: newId(), workspaceId: run.workspaceId, atMs: NOW_MS };
      const data = { run_id: run.id, pipeline: run.slug, duration_ms: 1, failed_step: null, error: null };
      const alerts = [pipelineAlert(base, 'pipeline.succeeded', data)];
      await store.pipelineRuns.change(run, 0, changed(state, STARTED), { steps: [], alerts });
      expect(await store.alertOutbox.eventsToFanOut(10)).toEqual(alerts);
    });
  });

  test('each attempt at a step has one execution', async () => {
    const { pipelineRuns } = await shared();
    const { run, state } = await begun(await shared());
    const change = changed(state, STARTED);
    const steps = [stepStart(run, 'one'), stepStart(run, 'one')];
    const failure = await pipelineRuns.change(run, 0, change, { steps, alerts: [] }).then(
      () => undefined,
      (error: unknown) => String(error),
    );
    expect(failure).toMatch(/unique/i);
    expect(await pipelineRuns.head(run.id)).toEqual(state.head);
  });

  test('finds only executions that have changed since their node was stored', async () => {
    await using store = await open();
    const { pipelineRuns, executions } = store;
    const { run, state } = await begun(store);
    const moved = async () => (await pipelineRuns.moved(run.hubId)).map(({ id, state: how }) => [id, how]);
    const start = stepStart(run, 'one', { state: 'queued', agentInstance: undefined });
    const started = changed(state, STARTED);
    applyRunChange(state, started);
    await pipelineRuns.change(run, 0, started, { steps: [start], alerts: [] });
    expect(await moved()).toEqual([]);
    const { id } = start.execution;
    const agent = { name: 'default', instance: 'i', boot: 'b', hubId: newId(), nowMs: NOW_MS };
    await executions.begin(id, agent);
    expect(await moved()).toEqual([[id, 'running']]);
    const runs = changed(state, { kind: 'step_started', atMs: NOW_MS, step: 'one', attempt: 1 });
    applyRunChange(state, runs);
    await pipelineRuns.change(run, 1, runs, NOTHING);
    expect(await moved()).toEqual([]);
    await executions.finish(succeeded(id), []);
    expect(await moved()).toEqual([[id, 'succeeded']]);
    expect(await pipelineRuns.moved(newId())).toEqual([]);
    const ended = changed(state, { ...about('one'), kind: 'step_ended', outcome: 'succeeded' });
    await pipelineRuns.change(run, 2, ended, NOTHING);
    expect(await moved()).toEqual([]);
  });

  test('a requested cancellation is kept until the run is ending, and refused for an ended run', async () => {
    const { pipelineRuns } = await shared();
    const { run, state } = await begun(await shared());
    expect(await pipelineRuns.cancelRequests(run.hubId)).toEqual([]);
    expect(await pipelineRuns.askCancel(run.id, NOW_MS)).toBe(true);
    expect(await pipelineRuns.askCancel(run.id, NOW_MS + 1)).toBe(true);
    expect((await pipelineRuns.find(run.id))?.cancelAskedAtMs).toBe(NOW_MS);
    expect(await pipelineRuns.cancelRequests(run.hubId)).toEqual([run.id]);
    const cancelled = changed(state, { kind: 'cancel_asked', atMs: NOW_MS });
    await pipelineRuns.change(run, 0, cancelled, NOTHING);
    expect(await pipelineRuns.cancelRequests(run.hubId)).toEqual([]);
    expect(await pipelineRuns.unfinished(run.hubId)).toEqual([]);
    expect(await pipelineRuns.askCancel(run.id, NOW_MS)).toBe(false);
  });

  test('runs are removed after 30 days with their nodes; unfinished ones stay', async () => {
    await using store = await open();
    const { pipelineRuns } = store;
    const at = { createdAtMs: NOW_MS - 31 * DAY_MS };
    const [old, unfinished] = [
      await begun(store, { id: newId(at.createdAtMs), ...at }),
      await begun(store, { id: newId(at.createdAtMs), ...at }),
    ];
    const end = changed(old.state, { kind: 'cancel_asked', atMs: NOW_MS });
    await pipelineRuns.change(old.run, 0, end, NOTHING);
    await store.sweep(NOW_MS);
    expect(await pipelineRuns.find(old.run.id)).toBeUndefined();
    expect(await pipelineRuns.nodes(old.run.id)).toEqual([]);
    expect(await pipelineRuns.nodes(unfinished.run.id)).toHaveLength(2);
  });

  test('runs are listed by filter, newest first, page by page', async () => {
    const { pipelineRuns } = await shared();
    const workspaceId = newId();
    const made: string[] = [];
    for (const slug of ['a', 'b', 'a'])
      made.unshift((await begun(await shared(), { workspaceId, slug })).run.id);
    const { items, nextCursor } = await pipelineRuns.list({ workspaceId, limit: 2 });
    expect(items.map(({ id }) => id)).toEqual(made.slice(0, 2));
    expect(items[0]).not.toHaveProperty('input');
    const rest = await pipelineRuns.list({ workspaceId, limit: 2, cursor: nextCursor ?? '' });
    expect([rest.items.map(({ id }) => id), rest.nextCursor]).toEqual([made.slice(2), undefined]);
    const ofA = await pipelineRuns.list({ workspaceId, slug: 'a', state: 'queued', limit: 9 });
    expect(ofA.items).toHaveLength(2);
    expect((await pipelineRuns.list({ workspaceId, callerId: 'nobody', limit: 9 })).items).toEqual([]);
  });
});

function about(id: string) {
  return { atMs: NOW_MS, step: id, attempt: 1 } as const;
}
