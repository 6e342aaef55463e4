import { expect, test } from 'bun:test';
import type { Pipeline } from '@svc/core/pipeline/definition/pipeline';
import { graphOf } from '@svc/core/pipeline/run/graph';
import { newRun } from '@svc/core/pipeline/run/new-run';
import type { Store } from '../../build/create-store.ts';
import {
  announcedPipeline,
  auditEntry,
  DAY_MS,
  NOW_MS,
  newId,
  newWorkspace,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

const KEPT_MS = 30 * DAY_MS;
/** A time before the oldest retained record. */
const LONG_AGO_MS = NOW_MS - KEPT_MS - 2 * DAY_MS;

const GRAPH = graphOf({
  slug: 'ship',
  trigger: { type: 'manual', public: false, inputSchema: [] },
  nodes: [{ kind: 'step', id: 'one', endpoint: 'deploy', args: {}, env: {}, onFailure: 'stop' }],
  edges: [{ from: 'trigger', to: 'one' }],
} satisfies Pipeline);

/** One endpoint or pipeline, with functions to change, remove and inspect it. */
interface Versioned {
  readonly id: string;
  readonly change: (atMs: number) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
  readonly versions: () => Promise<number[]>;
}

async function endpointOf(store: Store): Promise<Versioned> {
  const { workspaceId } = await newWorkspace(store);
  const id = newId();
  const { endpoints } = store;
  const draft = () => ({
    slug: 'job',
    definitionHash: newId(),
    definition: `{"name":"job","command":"echo ${newId()}"}`,
    overrides: {},
  });
  const current = () => endpoints.byId(id);
  return {
    id,
    async change(atMs) {
      const entry = auditEntry(workspaceId, { atMs });
      const from = await current();
      return await (from === undefined
        ? endpoints.create(id, draft(), entry)
        : endpoints.change(from, draft(), entry));
    },
    async remove() {
      const from = (await current()) ?? expect.unreachable();
      return await endpoints.remove(from, auditEntry(workspaceId, { atMs: NOW_MS }));
    },
    versions: async () => (await endpoints.versions(id)).map(({ version }) => version),
  };
}

async function pipelineOf(store: Store): Promise<Versioned & { readonly workspaceId: string }> {
  const { workspaceId } = await newWorkspace(store);
  const id = newId();
  const { pipelines } = store;
  const draft = () => ({ ...announcedPipeline('ship', `e${newId().slice(-12)}`), sealedSecret: undefined });
  const current = () => pipelines.byId(id);
  return {
    id,
    workspaceId,
    async change(atMs) {
      const entry = auditEntry(workspaceId, { atMs });
      const from = await current();
      return await (from === undefined
        ? pipelines.create(id, draft(), entry)
        : pipelines.change(from, draft(), entry));
    },
    async remove() {
      const from = (await current()) ?? expect.unreachable();
      return await pipelines.remove(from, auditEntry(workspaceId, { atMs: NOW_MS }));
    },
    versions: async () => (await pipelines.versions(id)).map(({ version }) => version),
  };
}

async function changeOften({ change }: Versioned, times: number, atMs: number): Promise<void> {
  for (let time = 0; time < times; time += 1) expect(await change(atMs)).toBe('stored');
}

const down = (from: number, count: number) => Array.from({ length: count }, (_, at) => from - at);

/** A new run of one version. */
async function begin(store: Store, of: { id: string; workspaceId: string }, pipelineVersion: number) {
  const run = {
    ...{ id: newId(NOW_MS - 10 * KEPT_MS), workspaceId: of.workspaceId, pipelineId: of.id, pipelineVersion },
    ...({ slug: 'ship', trigger: 'call', callerKind: 'member', callerId: 'u1' } as const),
    ...{ rerunOf: undefined, readTokenHash: undefined, hubId: newId(), createdAtMs: LONG_AGO_MS },
  };
  const input = { kind: 'plain', fields: '{}' } as const;
  const state = newRun(GRAPH, {});
  const parts = { input, claims: [], sealedRequest: undefined, maxOpen: 10 };
  expect(await store.pipelineRuns.start(run, state, parts)).toEqual({ kind: 'stored' });
  const end = async () => {
    const head = { ...state.head, state: 'cancelled', revision: 1, endedAtMs: LONG_AGO_MS } as const;
    const change = { head, nodes: [], actions: [] };
    expect(await store.pipelineRuns.change(run, 0, change, { steps: [], alerts: [] })).toBe('stored');
  };
  return { end };
}

onBothDatabases(({ open }) => {
  test.each([
    ['an endpoint', endpointOf],
    ['a pipeline', pipelineOf],
  ] as const)(
    'of %s the newest 50 versions are kept, and those that a record may be of',
    async (_, make) => {
      await using store = await open();
      const versioned = await make(store);
      await changeOften(versioned, 60, LONG_AGO_MS);
      await store.sweep(NOW_MS);
      expect(await versioned.versions()).toEqual(down(60, 50));
      await changeOften(versioned, 60, NOW_MS);
      await store.sweep(NOW_MS);
      // 60 was the current version until just now.
      expect(await versioned.versions()).toEqual(down(120, 61));
      await store.sweep(NOW_MS + KEPT_MS + 2 * DAY_MS);
      expect(await versioned.versions()).toEqual(down(120, 50));
    },
    60_000,
  );

  test.each([
    ['an endpoint', endpointOf],
    ['a pipeline', pipelineOf],
  ] as const)(
    'of %s that was deleted nothing is kept, once no record can be of it',
    async (_, make) => {
      await using store = await open();
      const versioned = await make(store);
      await changeOften(versioned, 2, LONG_AGO_MS);
      const stays = await make(store);
      await changeOften(stays, 1, LONG_AGO_MS);
      expect(await versioned.remove()).toBe('stored');
      // The first sweep notices the removal; earlier calls may still run.
      await store.sweep(NOW_MS);
      await store.sweep(NOW_MS + KEPT_MS);
      expect(await versioned.versions()).toEqual([2, 1]);
      await store.sweep(NOW_MS + KEPT_MS + 2 * DAY_MS);
      expect([await versioned.versions(), await stays.versions()]).toEqual([[], [1]]);
    },
    60_000,
  );

  test('a version of a pipeline stays as long as a run of it is stored', async () => {
    await using store = await open();
    const pipeline = await pipelineOf(store);
    await changeOften(pipeline, 60, LONG_AGO_MS);
    const waits = await begin(store, pipeline, 3);
    await store.sweep(NOW_MS);
    expect(await pipeline.versions()).toEqual([...down(60, 50), 3]);
    await pipeline.remove();
    await store.sweep(NOW_MS);
    await store.sweep(NOW_MS + 10 * KEPT_MS);
    expect(await pipeline.versions()).toEqual([3]);
    await waits.end();
    // The run is removed, and the version with it.
    await store.sweep(NOW_MS + 10 * KEPT_MS);
    expect(await pipeline.versions()).toEqual([]);
  }, 60_000);
});
