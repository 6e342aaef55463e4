import { expect, test } from 'bun:test';
import type { Database } from '../../platform/db/database.ts';
import { recordedQueries } from '../../platform/db/fixtures/query-plans.ts';
import { DAY_MS, NOW_MS, newExecution, newId, newWorkspace } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { AgentProcess } from '../directory-ports.ts';
import { KnownAgents } from './agent-store.ts';

const HOST = { version: '1.2.3', hostname: 'box', os: 'linux', arch: 'x64' };

function processOf(workspaceId: string, more: Partial<AgentProcess> = {}): AgentProcess {
  return { workspaceId, name: 'a', instance: newId(), boot: 'b', isLocalOnly: false, running: 0, ...more };
}

onBothDatabases(({ newLocation, shared, open }) => {
  test('an agent is listed from its first connection on, with the time when it was last connected', async () => {
    const { agents, hubs, ...store } = await shared();
    const { workspaceId } = await newWorkspace({ hubs, agents, ...store });
    const [hubId, one] = [newId(), processOf(workspaceId, { isLocalOnly: true })];
    await hubs.heartbeat(hubId, NOW_MS);
    await agents.connected(one, HOST, { hubId, nowMs: NOW_MS });
    const [known] = await agents.ofWorkspace(workspaceId);
    expect(known).toMatchObject({ ...HOST, name: 'a', instance: one.instance, hubId, isLocalOnly: true });
    await agents.gone(one, { hubId: newId(), nowMs: NOW_MS + 1 });
    expect(await agents.ofWorkspace(workspaceId)).toMatchObject([{ hubId, seenAtMs: NOW_MS }]);
    await agents.gone(one, { hubId, nowMs: NOW_MS + 2 });
    expect(await agents.ofWorkspace(workspaceId)).toMatchObject([{ hubId: undefined, seenAtMs: NOW_MS + 2 }]);
    await agents.connected(one, { ...HOST, version: '2' }, { hubId, nowMs: NOW_MS + 3 });
    expect(await agents.ofWorkspace(workspaceId)).toMatchObject([{ version: '2', hubId }]);
  });

  test('agents of a dead hub are offline, last seen at the last heartbeat of the hub', async () => {
    await using store = await open();
    const { agents, hubs } = store;
    const { workspaceId } = await newWorkspace(store);
    const one = processOf(workspaceId);
    await hubs.heartbeat('hub', NOW_MS);
    await agents.connected(one, HOST, { hubId: 'hub', nowMs: NOW_MS + 1 });
    await hubs.heartbeat('hub', NOW_MS + 5_000);
    await agents.hubStarted('hub');
    const offline = { hubId: undefined, seenAtMs: NOW_MS + 5_000 };
    expect(await agents.ofWorkspace(workspaceId)).toMatchObject([offline]);
    await agents.connected(one, HOST, { hubId: 'hub', nowMs: NOW_MS + 9_000 });
    await hubs.forget('hub');
    expect(await agents.ofWorkspace(workspaceId)).toMatchObject([
      { hubId: undefined, seenAtMs: NOW_MS + 9_000 },
    ]);
  });

  test('running executions are counted by process', async () => {
    const { agents, executions, ...store } = await shared();
    const { workspaceId } = await newWorkspace({ agents, executions, ...store });
    for (const instance of ['i1', 'i1', 'i2'])
      await executions.accept(newExecution({ workspaceId, agentName: 'a', agentInstance: instance }));
    await executions.accept(newExecution({ workspaceId, state: 'queued', agentName: undefined }));
    const running = await agents.running(workspaceId);
    expect(running.toSorted((a, b) => a.count - b.count)).toEqual([
      { name: 'a', instance: 'i2', count: 1 },
      { name: 'a', instance: 'i1', count: 2 },
    ]);
  });

  test('lists and counts of agents are read beside calls', async () => {
    const location = await newLocation();
    const beside: string[] = [];
    await recordedQueries(location, [], async (database) => {
      const { reader } = database;
      const rows: Database['rows'] = () => Promise.reject(new Error('read on the path of calls'));
      const noted: Database['reader'] = {
        rows: (query) => {
          beside.push(query.sql);
          return reader.rows(query);
        },
      };
      const agents = new KnownAgents({ ...database, rows, reader: noted });
      expect([await agents.ofWorkspace('w1'), await agents.running('w1')]).toEqual([[], []]);
    });
    expect(beside).toHaveLength(2);
  }, 60_000);

  test('an agent is removed 30 days after its last connection; a connected one never is', async () => {
    await using store = await open();
    const { workspaceId } = await newWorkspace(store);
    const [gone, here] = [processOf(workspaceId), processOf(workspaceId)];
    for (const one of [gone, here]) await store.agents.connected(one, HOST, { hubId: 'hub', nowMs: NOW_MS });
    await store.agents.gone(gone, { hubId: 'hub', nowMs: NOW_MS });
    await store.sweep(NOW_MS + 30 * DAY_MS);
    expect(await store.agents.ofWorkspace(workspaceId)).toHaveLength(2);
    await store.sweep(NOW_MS + 30 * DAY_MS + 1);
    expect(await store.agents.ofWorkspace(workspaceId)).toMatchObject([{ instance: here.instance }]);
  });
});
