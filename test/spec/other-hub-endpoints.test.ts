// Changes by another hub on the same database apply here soon: decisions 1, 28 and 33.
import { expect, test } from 'bun:test';
import { createStore, type Store } from '@svc/hub/build/create-store';
import { auditEntry, STORE_OPTIONS } from '@svc/hub/platform/db/fixtures/samples';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { pollPause } from '../until.ts';

/** The store as the other hub has it open. */
function otherHub({ dataDir }: HubWorld): Promise<Store> {
  return createStore({ kind: 'sqlite', file: `${dataDir}/svc.db` }, STORE_OPTIONS);
}

async function workspaceIn({ accounts }: Store, { start }: HubWorld): Promise<string> {
  const workspace = await accounts.workspaceByUsername(start.username);
  if (workspace === undefined) throw new Error('there is no workspace');
  return workspace.id;
}

/** With each heartbeat a hub reads the endpoints again, and continues removals. */
const SOON_MS = 5_000;

test('an endpoint that another hub has changed, and one that it has deleted', async () => {
  await using world = await hubWorld();
  await using agent = await world.agent({ endpoints: [] });
  const body = JSON.stringify({ slug: 'job', command: 'echo one' });
  await world.manage('/endpoints', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
  const runs = async () => {
    const called = world.call('job');
    const order = await agent.receive('run');
    agent.end(order.execution_id, 0);
    await called;
    return order.definition;
  };
  expect(await runs()).toEqual({ name: 'job', command: 'echo one' });
  await using other = await otherHub(world);
  const workspaceId = await workspaceIn(other, world);
  const before = await other.endpoints.find(workspaceId, 'job');
  if (before === undefined) throw new Error('there is no endpoint');
  const definition = '{"command":"echo two","name":"job"}';
  const definitionHash = new Bun.CryptoHasher('sha256').update(definition).digest('hex');
  const entry = auditEntry(workspaceId);
  await other.endpoints.change(before, { slug: 'job', definition, definitionHash, overrides: {} }, entry);
  await world.clock.heartbeat(1);
  expect(await runs()).toEqual({ name: 'job', command: 'echo two' });
  const now = await other.endpoints.find(workspaceId, 'job');
  if (now !== undefined) await other.endpoints.remove(now, entry);
  await world.clock.heartbeat(1);
  expect((await world.call('job')).status).toBe(404);
});

test('a workspace that another hub has begun to delete: its agents are sent away, and its rows go', async () => {
  await using world = await hubWorld();
  await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  const called = world.call('job');
  const { execution_id: id } = await agent.receive('run');
  await using other = await otherHub(world);
  const workspace = await other.accounts.workspaceByUsername(world.start.username);
  if (workspace === undefined) throw new Error('there is no workspace');
  await other.workspaceRemoval.begin(workspace, auditEntry(workspace.id));
  // Its work at the start may not be finished; and a whole heartbeat would wait for the agent.
  await world.clock.untilTimer(SOON_MS, 3);
  world.clock.move(SOON_MS);
  expect((await agent.receive('cancel')).execution_id).toBe(id);
  agent.end(id, 0, { kind: 'cancelled', duration_ms: 1 });
  expect(await agent.closed).toBe(4401);
  await called;
  while ((await other.workspaceRemoval.begun()).length > 0) await pollPause();
  expect(await other.executions.find(id)).toBeUndefined();
  expect((await world.call('job')).status).toBe(401);
});

test('an agent token that another hub has revoked: its connections end', async () => {
  await using world = await hubWorld();
  await using agent = await world.agent({ endpoints: [] });
  await using other = await otherHub(world);
  const workspaceId = await workspaceIn(other, world);
  const [token] = await other.credentials.agentTokensOf(workspaceId);
  const entry = auditEntry(workspaceId, { atMs: world.clock.nowMs() });
  expect(await other.credentials.revokeAgentToken(workspaceId, token?.id ?? '', entry)).toBe(true);
  await world.clock.heartbeat(1);
  expect(await agent.closed).toBe(4401);
});
