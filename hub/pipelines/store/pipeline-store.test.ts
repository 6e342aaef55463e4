import { expect, test } from 'bun:test';
import type { Store } from '../../build/create-store.ts';
import type { AnnouncedFile } from '../../endpoints/endpoint-ports.ts';
import {
  announced,
  announcedPipeline,
  auditEntry,
  NOW_MS,
  newId,
  newWorkspace,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { PipelineDraft, RegisteredPipeline } from '../pipeline-ports.ts';

const draft = (slug: string, more: Partial<PipelineDraft> = {}): PipelineDraft => ({
  ...announcedPipeline(slug),
  sealedSecret: undefined,
  ...more,
});

const slugsOf = (pipelines: readonly RegisteredPipeline[]) => pipelines.map(({ pipeline }) => pipeline.slug);

async function workspaceOf(store: Store) {
  const { workspaceId } = await newWorkspace(store);
  const entry = (atMs = NOW_MS) =>
    auditEntry(workspaceId, {
      action: 'pipeline.created',
      target: { kind: 'pipeline', id: 'p1', name: 'release' },
      atMs,
    });
  const create = async (one: PipelineDraft) => {
    const id = newId();
    return { id, outcome: await store.pipelines.create(id, one, entry()) };
  };
  const createEndpoint = (slug: string) =>
    store.endpoints.create(newId(), { ...announced(slug), overrides: {} }, entry());
  const register = (agentName: string, file: AnnouncedFile, nowMs = NOW_MS) =>
    store.endpoints.register(workspaceId, agentName, file, nowMs);
  const find = async (slug: string) =>
    (await store.pipelines.find(workspaceId, slug)) ?? expect.unreachable(`there is no ${slug}`);
  return { workspaceId, entry, create, createEndpoint, register, find };
}

onBothDatabases(({ shared }) => {
  test('a new pipeline has its secret and its first version', async () => {
    const store = await shared();
    const { workspaceId, create, find } = await workspaceOf(store);
    const { id, outcome } = await create(draft('release', { sealedSecret: 'sealed' }));
    expect(outcome).toBe('stored');
    const found = await find('release');
    expect(found).toMatchObject({
      id,
      workspaceId,
      source: 'api',
      registeredBy: undefined,
      version: 1,
      sealedSecret: 'sealed',
      definition: announcedPipeline('release').definition,
      pipeline: { slug: 'release', nodes: [{ id: 'one', endpoint: 'deploy' }] },
      createdAtMs: NOW_MS,
    });
    expect(await store.pipelines.byId(id)).toEqual(found);
    expect(await store.pipelines.list(workspaceId)).toEqual([found]);
    expect(await store.pipelines.version(id, 1)).toMatchObject({ source: 'api', pipeline: found.pipeline });
  });

  test('each change creates a version, and the versions outlive the pipeline', async () => {
    const store = await shared();
    const { workspaceId, entry, create, find } = await workspaceOf(store);
    const { id } = await create(draft('release', { sealedSecret: 'sealed' }));
    const next = { ...announcedPipeline('release', 'other'), sealedSecret: undefined };
    expect(await store.pipelines.change(await find('release'), next, entry(NOW_MS + 1))).toBe('stored');
    const changed = await find('release');
    expect(changed).toMatchObject({
      version: 2,
      sealedSecret: undefined,
      createdAtMs: NOW_MS,
      updatedAtMs: NOW_MS + 1,
    });
    expect(await store.pipelines.remove(changed, entry())).toBe('stored');
    expect(await store.pipelines.find(workspaceId, 'release')).toBeUndefined();
    expect(await store.pipelines.versions(id)).toEqual([
      { version: 2, source: 'api', createdAtMs: NOW_MS + 1 },
      { version: 1, source: 'api', createdAtMs: NOW_MS },
    ]);
    expect((await store.pipelines.version(id, 1))?.definition).toBe(announcedPipeline('release').definition);
    expect(await store.pipelines.version(id, 3)).toBeUndefined();
  });

  test('a change and a removal are overtaken by a concurrent change', async () => {
    const store = await shared();
    const { entry, create, find } = await workspaceOf(store);
    await create(draft('release'));
    const seen = await find('release');
    const drafts = [draft('release'), draft('release'), draft('elsewhere')];
    const outcomes = await Promise.all(drafts.map((one) => store.pipelines.change(seen, one, entry())));
    expect(outcomes.toSorted()).toEqual(['overtaken', 'overtaken', 'stored']);
    expect(await store.pipelines.remove(seen, entry())).toBe('overtaken');
  });

  test('a renamed pipeline frees its slug, and cannot take a used one', async () => {
    const store = await shared();
    const { entry, create, createEndpoint, find } = await workspaceOf(store);
    await create(draft('old'));
    await createEndpoint('deploy');
    const old = await find('old');
    expect(await store.pipelines.change(old, draft('deploy'), entry())).toBe('slug_taken');
    expect(await store.pipelines.change(old, draft('new'), entry())).toBe('stored');
    expect(await createEndpoint('old')).toBe('stored');
    expect(await createEndpoint('new')).toBe('slug_taken');
  });

  test('one of several endpoints and pipelines that claim a slug at once gets it', async () => {
    const store = await shared();
    for (let round = 0; round < 5; round += 1) {
      const { workspaceId, create, createEndpoint, register } = await workspaceOf(store);
      const outcomes = await Promise.all([
        create(draft('x')).then(({ outcome }) => outcome === 'stored'),
        createEndpoint('x').then((outcome) => outcome === 'stored'),
        create(draft('x')).then(({ outcome }) => outcome === 'stored'),
        createEndpoint('x').then((outcome) => outcome === 'stored'),
        register('one', { endpoints: [announced('x')] }).then(({ registered }) => registered.length === 1),
        register('two', { endpoints: [], pipelines: [announcedPipeline('x')] }).then(
          ({ pipelines }) => pipelines.length === 1,
        ),
      ]);
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const [endpoint, pipeline] = [
        await store.endpoints.find(workspaceId, 'x'),
        await store.pipelines.find(workspaceId, 'x'),
      ];
      expect([endpoint, pipeline].filter((one) => one !== undefined)).toHaveLength(1);
    }
  });

  test('a pipeline can take the slug of a removed endpoint', async () => {
    const store = await shared();
    const { workspaceId, entry, create, createEndpoint } = await workspaceOf(store);
    await createEndpoint('x');
    expect((await create(draft('x'))).outcome).toBe('slug_taken');
    const endpoint = (await store.endpoints.find(workspaceId, 'x')) ?? expect.unreachable();
    await store.endpoints.remove(endpoint, entry());
    expect((await create(draft('x'))).outcome).toBe('stored');
  });

  test('pipelines of a file are registered, changed and removed with the file', async () => {
    const store = await shared();
    const { workspaceId, register, find } = await workspaceOf(store);
    const file = { endpoints: [announced('deploy')], pipelines: [announcedPipeline('release')] };
    const first = await register('build', file);
    expect([first.registered.length, slugsOf(first.pipelines), first.refused]).toEqual([1, ['release'], []]);
    expect(await find('release')).toMatchObject({ source: 'config', registeredBy: 'build', version: 1 });
    await register('build', file);
    expect(await find('release')).toMatchObject({ version: 1 });
    await register('build', { ...file, pipelines: [announcedPipeline('release', 'test')] }, NOW_MS + 1);
    const changed = await find('release');
    expect(changed).toMatchObject({ version: 2, updatedAtMs: NOW_MS + 1 });
    expect(await store.pipelines.versions(changed.id)).toHaveLength(2);
    await register('build', { endpoints: [], pipelines: [] });
    expect(await store.pipelines.list(workspaceId)).toEqual([]);
    expect(slugsOf((await register('other', file)).pipelines)).toEqual(['release']);
  });

  test('an endpoint of a file can become a pipeline, and back', async () => {
    const store = await shared();
    const { workspaceId, register } = await workspaceOf(store);
    await register('build', { endpoints: [announced('x')], pipelines: [announcedPipeline('y')] });
    const { refused } = await register('build', {
      endpoints: [announced('y')],
      pipelines: [announcedPipeline('x')],
    });
    expect(refused).toEqual([]);
    expect(await store.endpoints.find(workspaceId, 'x')).toBeUndefined();
    expect(slugsOf(await store.pipelines.list(workspaceId))).toEqual(['x']);
    expect(await store.endpoints.find(workspaceId, 'y')).toBeDefined();
  });
});
