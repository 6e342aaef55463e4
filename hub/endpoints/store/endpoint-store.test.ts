import { expect, test } from 'bun:test';
import { createStore, type Store } from '../../build/create-store.ts';
import { failureOf } from '../../platform/db/fixtures/failure-of.ts';
import {
  announced,
  endpointOf,
  NOW_MS,
  newWorkspace,
  STORE_OPTIONS,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { Announced, RegisteredEndpoint } from '../endpoint-ports.ts';

const slugsOf = (endpoints: readonly RegisteredEndpoint[]) => endpoints.map(({ endpoint }) => endpoint.slug);

async function registering(store: Store) {
  const { workspaceId } = await newWorkspace(store);
  const register = (agentName: string, all: readonly Announced[], nowMs = NOW_MS) =>
    store.endpoints.register(workspaceId, agentName, { endpoints: all }, nowMs);
  return { workspaceId, register };
}

onBothDatabases(({ shared, open, newLocation }) => {
  test('the workspace has the endpoints that its agent announces', async () => {
    const store = await shared();
    const { workspaceId, register } = await registering(store);
    const { registered, refused } = await register('default', [announced('deploy'), announced('logs')]);
    expect(refused).toEqual([]);
    expect(await store.endpoints.list(workspaceId)).toEqual([...registered]);
    const deploy = await store.endpoints.find(workspaceId, 'deploy');
    expect(deploy).toMatchObject({
      workspaceId,
      source: 'config',
      registeredBy: 'default',
      definitionHash: announced('deploy').definitionHash,
      version: 1,
      createdAtMs: NOW_MS,
      updatedAtMs: NOW_MS,
      endpoint: { slug: 'deploy', command: 'uptime' },
    });
    expect(await store.endpoints.byId(deploy?.id ?? '')).toEqual(deploy as RegisteredEndpoint);
  });

  test('a change creates a new version of the same endpoint; unchanged endpoints keep theirs', async () => {
    const store = await shared();
    const { workspaceId, register } = await registering(store);
    const first = await register('default', [announced('deploy'), announced('logs')]);
    const second = await register('default', [announced('deploy', 'date'), announced('logs')], NOW_MS + 1);
    const [deploy, logs] = await store.endpoints.list(workspaceId);
    expect(deploy).toMatchObject({ version: 2, createdAtMs: NOW_MS, updatedAtMs: NOW_MS + 1 });
    expect(deploy?.endpoint.command).toBe('date');
    expect(deploy?.id).toBe(first.registered.find(({ endpoint }) => endpoint.slug === 'deploy')?.id);
    expect(logs).toMatchObject({ version: 1, updatedAtMs: NOW_MS });
    expect(slugsOf(second.registered).sort()).toEqual(['deploy', 'logs']);
  });

  test('an endpoint that is no longer announced is removed, and its slug is free', async () => {
    const store = await shared();
    const { workspaceId, register } = await registering(store);
    await register('default', [announced('deploy'), announced('logs')]);
    await register('default', [announced('logs')]);
    expect(await store.endpoints.find(workspaceId, 'deploy')).toBeUndefined();
    const { registered } = await register('other', [announced('deploy')]);
    expect(slugsOf(registered)).toEqual(['deploy']);
    await register('default', []);
    expect(slugsOf(await store.endpoints.list(workspaceId))).toEqual(['deploy']);
  });

  test('a slug belongs to the agent that registered it first; the rest of the file is registered', async () => {
    const store = await shared();
    const { workspaceId, register } = await registering(store);
    await register('first', [announced('deploy')]);
    const { registered, refused } = await register('second', [announced('deploy', 'rm'), announced('logs')]);
    expect(slugsOf(registered)).toEqual(['logs']);
    expect(refused.map(({ slug }) => slug)).toEqual(['deploy']);
    expect(await store.endpoints.find(workspaceId, 'deploy')).toMatchObject({
      registeredBy: 'first',
      endpoint: { command: 'uptime' },
    });
  });

  test('one of several agents that register a slug at once gets it', async () => {
    const store = await shared();
    const { workspaceId, register } = await registering(store);
    const agents = Array.from({ length: 8 }, (_, index) => `agent${index}`);
    const results = await Promise.all(agents.map((agent) => register(agent, [announced('deploy', agent)])));
    const winners = agents.filter((_, index) => results[index]?.registered.length === 1);
    expect(winners).toHaveLength(1);
    const found = await store.endpoints.find(workspaceId, 'deploy');
    expect([found?.registeredBy, found?.endpoint.command]).toEqual([winners[0], winners[0] ?? '']);
    expect(results.filter(({ refused }) => refused.length === 1)).toHaveLength(7);
  });

  test('of concurrent registrations of one agent one wins as a whole, and each change is a version', async () => {
    const store = await shared();
    const { workspaceId, register } = await registering(store);
    await register('default', [announced('a', '0'), announced('b', '0')]);
    const commands = ['1', '2', '3', '4', '5'];
    await Promise.all(commands.map((it) => register('default', [announced('a', it), announced('b', it)])));
    const [a, b] = await store.endpoints.list(workspaceId);
    expect(commands).toContain(a?.endpoint.command ?? '');
    expect(b?.endpoint.command).toBe(a?.endpoint.command ?? '');
    expect([a?.version, b?.version]).toEqual([6, 6]);
  });

  test('the same slug in another workspace is another endpoint', async () => {
    const store = await shared();
    const [mine, theirs] = [await registering(store), await registering(store)];
    await mine.register('default', [announced('deploy', 'mine')]);
    await theirs.register('default', [announced('deploy', 'theirs')]);
    await theirs.register('default', []);
    expect(await store.endpoints.find(mine.workspaceId, 'deploy')).toMatchObject({
      endpoint: { command: 'mine' },
    });
    expect(await store.endpoints.list(theirs.workspaceId)).toEqual([]);
  });

  test('a hash that does not match its definition has no effect on the endpoint with the right one', async () => {
    const store = await shared();
    const [attacker, victim] = [await registering(store), await registering(store)];
    const honest = announced('deploy', 'uptime');
    await attacker.register('default', [
      { ...announced('deploy', 'curl evil'), definitionHash: honest.definitionHash },
    ]);
    expect(await store.endpoints.find(attacker.workspaceId, 'deploy')).toMatchObject({
      endpoint: { command: 'curl evil' },
    });
    await victim.register('default', [honest]);
    expect(await store.endpoints.find(victim.workspaceId, 'deploy')).toMatchObject({
      endpoint: { command: 'uptime' },
    });
  });

  test('an unreadable definition registers nothing', async () => {
    const store = await shared();
    const { workspaceId, register } = await registering(store);
    await register('default', [announced('deploy')]);
    const broken = { slug: 'broken', definition: '{', definitionHash: 'x' };
    expect(await failureOf(register('default', [announced('logs'), broken]))).toBeInstanceOf(SyntaxError);
    expect(slugsOf(await store.endpoints.list(workspaceId))).toEqual(['deploy']);
  });

  test('another process reads the stored definition', async () => {
    const location = await newLocation();
    await using store = await open(location);
    const { workspaceId, register } = await registering(store);
    await register('default', [announced('deploy', 'date')]);
    const read: string[] = [];
    await using other = await createStore(location, {
      ...STORE_OPTIONS,
      endpointOf: (definition) => {
        read.push(definition);
        return endpointOf(definition);
      },
    });
    for (let time = 0; time < 3; time += 1)
      expect(await other.endpoints.find(workspaceId, 'deploy')).toMatchObject({
        endpoint: { command: 'date' },
      });
    expect(read).toEqual([announced('deploy', 'date').definition]);
    // A write of one hub is visible to the other at once.
    await register('default', [announced('deploy', 'whoami')]);
    expect(await other.endpoints.find(workspaceId, 'deploy')).toMatchObject({
      endpoint: { command: 'whoami' },
    });
  });
});
