// Calls of hosted endpoints, as the hub gives them to hosts: reference 8, decisions 13, 46, 49 and 50. The hosts are played.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { openStore } from '@svc/hub/build/open-store';
import { readHubConfig } from '@svc/hub/config';
import { newExecution } from '@svc/hub/platform/db/fixtures/samples';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type Person, signIn } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { until } from '../until.ts';

const WAIT_MS = 30_000;
const MIB = 1024 * 1024;

let world: HubWorld;
let owner: Person;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'pro', SVC_RATE_LIMITS: 'off' } });
  owner = await signIn(world, 'operator@localhost');
});
afterEach(() => world[Symbol.asyncDispose]());

const get = async (path: string) => (await owner.ask('GET', path)).body;
const choose = (plan: string) => owner.ask('PUT', '/workspace/plan', { body: { plan } });
const cloud = (more: object = {}) =>
  owner.ask('POST', '/endpoints', {
    body: { slug: 'cloud', command: 'true', agent_name: 'hosted', ...more },
  });
const ASYNC = { headers: { prefer: 'respond-async' } };

async function executions(): Promise<{ status: string; reason?: string; error?: string }[]> {
  return (await get('/executions?limit=100')).items as { status: string }[];
}

/** Calls that are under way, each with its frame at the host. */
async function running(host: ScriptedAgent, count: number, slug = 'cloud') {
  const calls = Array.from({ length: count }, () => world.call(slug));
  // Most outlive their test.
  for (const call of calls) call.catch(() => undefined);
  const ids: string[] = [];
  for (let n = 0; n < count; n += 1) ids.push((await host.receive('run')).execution_id);
  return { calls, ids };
}

test('a host gets the whole command with what the plan leaves it, and nothing of other workspaces', async () => {
  await using host = await world.host();
  await owner.ask('PUT', '/secrets/API_TOKEN', { body: { value: 'top secret' } });
  await owner.ask('PUT', '/secrets/FOR_HOSTS', { body: { value: 'too', agents: ['hosted'] } });
  await owner.ask('PUT', '/secrets/FOR_BUILD', { body: { value: 'never', agents: ['build'] } });
  const stranger = await signIn(world, 'lin@example.org');
  await stranger.ask('PUT', '/workspace/username', { body: { username: 'lin' } });
  await stranger.ask('PUT', '/secrets/THEIRS', { body: { value: 'of lin' } });
  await cloud({
    command: 'curl -H "X: $svc:API_TOKEN" {{url}}',
    args: [{ name: 'url', type: 'url' }],
    cwd: 'elsewhere',
  });
  const called = world.call('cloud', {
    method: 'POST',
    body: '{"url":"https://x.example"}',
    headers: { 'content-type': 'application/json' },
  });
  const order = await host.receive('run');
  expect(order).toMatchObject({
    endpoint: 'cloud',
    definition: { name: 'cloud', command: 'curl -H "X: $svc:API_TOKEN" {{url}}' },
    args: { url: 'https://x.example' },
    timeout: 60,
    hosted: { vcpus: 1, memory_bytes: 512 * MIB, network: false },
  });
  expect(order.secrets).toEqual({ API_TOKEN: 'top secret', FOR_HOSTS: 'too' });
  host.output(order.execution_id, 1, 'done\n');
  host.end(order.execution_id, 1);
  expect(await (await called).json()).toMatchObject({ output: 'done\n', exit_code: 0 });
  await owner.ask('PATCH', '/endpoints/cloud', { body: { command: 'echo $svc:FOR_BUILD' } });
  const refused = await world.call('cloud', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  expect([refused.status, (await refused.json()).code]).toEqual([403, 'secret_not_allowed']);
});

test('an endpoint of a file with agent_name: hosted goes to a host whole, not to the agent that registered it', async () => {
  await using host = await world.host();
  await using agent = await world.agent({
    endpoints: [{ name: 'filed', command: 'date', agent_name: 'hosted', env: { A: 'b' } }],
  });
  const called = world.call('filed');
  const order = await host.receive('run');
  expect(order.definition).toEqual({ name: 'filed', command: 'date', agent_name: 'hosted', env: { A: 'b' } });
  host.end(order.execution_id, 0);
  expect((await called).status).toBe(200);
  expect(agent.unread('run')).toBe(0);
});

test('only the token of the host that runs an execution sends its files, and that of an agent none', async () => {
  const tokenOf = async (name: string) => (await world.admin((admin) => admin.makeRunnerToken(name))).token;
  const [token, otherToken] = [await tokenOf('one'), await tokenOf('other')];
  // An instance names itself, so an agent may take the name of a host.
  const instance = crypto.randomUUID();
  await using host = await world.host({ token, instance });
  await cloud({ artifacts: ['**'] });
  await using agent = await world.agent({ instance, endpoints: [{ name: 'local', command: 'true' }] });
  const send = async (bearer: string, id: string) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' };
    const body = '{"files":[{"name":"a","size":1}],"missing":[]}';
    const response = await fetch(`${world.hub.hubUrl}/agents/artifacts/${id}`, {
      method: 'POST',
      headers,
      body,
    });
    return response.ok ? 200 : ((await response.json()) as { readonly code: string }).code;
  };
  const agentToken = await world.tokenFor();
  const calls = [world.call('cloud'), world.call('local')];
  const { execution_id: hosted } = await host.receive('run');
  const { execution_id: local } = await agent.receive('run');
  await using _other = await world.host({ token: otherToken });
  const closed = 'execution_not_open';
  expect([await send(otherToken, hosted), await send(agentToken, hosted)]).toEqual([closed, closed]);
  expect([await send(token, local), await send(otherToken, local)]).toEqual([closed, closed]);
  expect([await send(token, hosted), await send(agentToken, local)]).toEqual([200, 200]);
  host.end(hosted, 0);
  agent.end(local, 0);
  await Promise.all(calls);
});

test('without a host it is 502 with a record; on a plan without hosted runner it is 403, without one', async () => {
  await cloud();
  const offline = await world.call('cloud');
  expect([offline.status, await offline.json()]).toMatchObject([502, { code: 'agent_offline' }]);
  expect((await executions()).map(({ status }) => status)).toEqual(['rejected']);
  expect((await get('/hosted/usage')).used).toBe(0);
  await using _host = await world.host();
  await choose('free');
  const refused = await world.call('cloud');
  expect([refused.status, (await refused.json()).code]).toEqual([403, 'plan_limit']);
  expect((await world.call('cloud', ASYNC)).status).toBe(403);
  expect(await executions()).toHaveLength(1);
});

test('the limits of a plan: its time, and that of the endpoint where that is less', async () => {
  await using host = await world.host();
  await cloud({ timeout: 1_000 });
  await cloud({ slug: 'short', timeout: 7 });
  const { ids } = await running(host, 1);
  expect(await get(`/executions/${ids[0]}`)).toMatchObject({ status: 'running' });
  const timeouts: unknown[] = [];
  for (const [plan, slug] of [
    ['pro', 'cloud'],
    ['team', 'cloud'],
    ['team', 'short'],
  ] as const) {
    await choose(plan);
    const called = world.call(slug, ASYNC);
    const { timeout, hosted } = await host.receive('run');
    await called;
    timeouts.push([timeout, hosted?.vcpus, (hosted?.memory_bytes ?? 0) / MIB]);
  }
  expect(timeouts).toEqual([
    [120, 1, 512],
    [300, 2, 2_048],
    [7, 2, 2_048],
  ]);
});

test('a registration gets the reasons for what the plan cuts or does not have', async () => {
  const endpoints = [
    { name: 'long', command: 'true', agent_name: 'hosted', timeout: 1_000 },
    { name: 'short', command: 'true', agent_name: 'hosted', timeout: 120 },
  ];
  await using agent = await world.agent({ endpoints });
  expect(agent.welcome.warnings).toEqual([
    '"long" is ended after 120 s, not 1000 s: the hosted runner of the plan pro allows no more',
  ]);
  await choose('free');
  await using again = await world.agent({ endpoints });
  expect(again.welcome.warnings).toEqual([
    '"long" is refused: the plan free has no hosted runner',
    '"short" is refused: the plan free has no hosted runner',
  ]);
  const refused = '"cloud" is refused: the plan free has no hosted runner';
  expect(await cloud()).toMatchObject({ status: 201, body: { warnings: [refused] } });
  expect(await get('/endpoints/cloud')).toMatchObject({ warnings: [refused] });
  await choose('pro');
  const cut = await owner.ask('PATCH', '/endpoints/cloud', { body: { timeout: 1_000 } });
  expect(cut.body.warnings).toEqual([
    '"cloud" is ended after 120 s, not 1000 s: the hosted runner of the plan pro allows no more',
  ]);
  const enough = await owner.ask('PATCH', '/endpoints/cloud', { body: { timeout: 100 } });
  expect(enough.body.warnings).toEqual([]);
});

test('more calls than the plan runs at a time wait, in their order, and get a place as soon as one is free', async () => {
  await using host = await world.host();
  await cloud({ args: [{ name: 'n' }] });
  const call = (n: number) => void world.call(`cloud?n=${n}`).catch(() => undefined);
  for (let n = 0; n < 5; n += 1) call(n);
  const ids: string[] = [];
  while (ids.length < 5) ids.push((await host.receive('run')).execution_id);
  for (let n = 5; n < 8; n += 1) {
    call(n);
    // Each is in line before the next one comes.
    await until(async () => (await metric('svc_hosted_waiting')) === n - 4);
  }
  expect(host.unread('run')).toBe(0);
  expect((await get('/hosted/usage')).concurrent).toEqual({ running: 5, limit: 5 });
  for (const [index, id] of ids.slice(0, 3).entries()) {
    host.end(id, 0);
    expect((await host.receive('run')).args).toEqual({ n: String(index + 5) });
  }
  expect(host.unread('run')).toBe(0);
  expect((await executions()).length).toBe(8);
});

test('a call without a slot within 30 s gets 429, and is not recorded', async () => {
  await using host = await world.host();
  await cloud();
  const { ids } = await running(host, 5);
  const sixth = world.call('cloud');
  await world.clock.untilTimer(WAIT_MS);
  world.clock.move(WAIT_MS);
  const refused = await sixth;
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect(await refused.json()).toMatchObject({ code: 'concurrency_limited', details: { limit: 5 } });
  host.end(ids[0] ?? '', 0);
  await until(
    async () =>
      ((await get('/hosted/usage')) as { concurrent: { running: number } }).concurrent.running === 4,
  );
  expect(host.unread('run')).toBe(0);
  expect(await executions()).toHaveLength(5);
  expect((await get('/usage')).executions).toMatchObject({ used: 5 });
});

test('an asynchronous caller learns at once that the call is queued; it begins, or ends by itself after 30 s', async () => {
  await using host = await world.host();
  await cloud();
  const { ids } = await running(host, 5);
  const answers = [await world.call('cloud', ASYNC), await world.call('cloud', ASYNC)];
  expect(answers.map(({ status }) => status)).toEqual([202, 202]);
  const [one, other] = (await Promise.all(answers.map((answer) => answer.json()))) as {
    execution_id: string;
    status: string;
  }[];
  expect([one?.status, other?.status]).toEqual(['queued', 'queued']);
  host.end(ids[0] ?? '', 0);
  expect((await host.receive('run')).execution_id).toBe(one?.execution_id ?? '');
  await world.clock.untilTimer(WAIT_MS);
  world.clock.move(WAIT_MS);
  await until(async () => (await get(`/executions/${other?.execution_id}`)).status === 'rejected');
  expect(await get(`/executions/${other?.execution_id}`)).toMatchObject({
    code: 'concurrency_limited',
  });
  // Its unit of the month is given back, and it took none of the hosted one.
  expect((await get('/usage')).executions).toMatchObject({ used: 6 });
  expect((await get('/hosted/usage')).used).toBe(6);
});

test('of 100 calls at once five run at a time, and each runs once', async () => {
  await using host = await world.host();
  await cloud();
  const calls = Array.from({ length: 100 }, () => world.call('cloud'));
  const seen = new Set<string>();
  for (let n = 0; n < 100; n += 1) {
    const { execution_id: id } = await host.receive('run');
    seen.add(id);
    const { running: now } = (await get('/hosted/usage')).concurrent as { running: number };
    expect(now).toBeLessThanOrEqual(5);
    host.end(id, 0);
  }
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(100).fill(200));
  expect(seen.size).toBe(100);
  expect(await get('/hosted/usage')).toMatchObject({ used: 100, concurrent: { running: 0 } });
});

test('the host with the least to do comes first, none gets more than it has room for, and one that leaves gets nothing', async () => {
  await using small = await world.host({ runner: { capacity: 2 } });
  await using large = await world.host({ runner: { capacity: 8 } });
  await choose('team');
  await cloud();
  for (let n = 0; n < 10; n += 1) await world.call('cloud', ASYNC);
  await until(() => small.unread('run') + large.unread('run') === 10);
  expect([small.unread('run'), large.unread('run')]).toEqual([2, 8]);
  const eleventh = world.call('cloud');
  await until(async () => (await metric('svc_hosted_waiting')) === 1);
  expect(await metric('svc_runners_capacity')).toBe(10);
  expect(await metric('svc_runners_running')).toBe(10);
  const { execution_id: of } = await small.receive('run');
  small.say({ type: 'leaving' });
  small.end(of, 0);
  await until(async () => (await metric('svc_runners_running')) === 9);
  expect(small.unread('run')).toBe(1);
  large.end((await large.receive('run')).execution_id, 0);
  await until(() => large.unread('run') === 8);
  for (let n = 0; n < 8; n += 1) large.end((await large.receive('run')).execution_id, 0);
  expect((await eleventh).status).toBe(200);
});

test('a workspace with many calls keeps no other waiting: they take turns', async () => {
  await using host = await world.host({ runner: { capacity: 2 } });
  await cloud();
  const lin = await signIn(world, 'lin@example.org');
  await lin.ask('PUT', '/workspace/username', { body: { username: 'lin' } });
  await lin.ask('POST', '/endpoints', { body: { slug: 'theirs', command: 'true', agent_name: 'hosted' } });
  for (let n = 0; n < 8; n += 1) await world.call('cloud', ASYNC);
  const [first, second] = [await host.receive('run'), await host.receive('run')];
  await lin.ask('POST', '/executions', { body: { endpoint: 'theirs', args: {} } });
  await until(async () => (await metric('svc_hosted_waiting')) === 7);
  host.end(first.execution_id, 0);
  const next = [await host.receive('run')];
  host.end(second.execution_id, 0);
  next.push(await host.receive('run'));
  expect(next.map(({ endpoint }) => endpoint)).toContain('theirs');
});

test('the month of the hosted runner ends by itself, for calls and for what waits, and what never ran counts in neither', async () => {
  await using host = await world.host();
  await cloud();
  await useUp(4_999);
  const { calls, ids } = await running(host, 1);
  expect((await get('/hosted/usage')).remaining).toBe(0);
  const refused = await world.call('cloud');
  expect([refused.status, (await refused.json()).error]).toEqual([
    429,
    'the 5000 executions on the hosted runner of this month are used up (plan pro)',
  ]);
  const queued = (await (await world.call('cloud', ASYNC)).json()) as { execution_id: string };
  await until(async () => (await get(`/executions/${queued.execution_id}`)).status === 'rejected');
  expect((await get('/usage')).executions).toMatchObject({ used: 1 });
  host.end(ids[0] ?? '', 0);
  await calls[0];
});

test('a network is what the operator allows a workspace, from the next execution on, and the owner can see that', async () => {
  await using host = await world.host();
  await cloud();
  const networkOf = async () => {
    const called = world.call('cloud', ASYNC);
    const { hosted } = await host.receive('run');
    await called;
    return hosted?.network;
  };
  expect(await networkOf()).toBe(false);
  await world.admin((admin) => admin.setHostedNetwork(world.start.username, true));
  expect(await networkOf()).toBe(true);
  const [entry] = (await get('/audit')).items as { action: string; details: object }[];
  expect(entry).toMatchObject({ action: 'workspace.hosted_network_changed', details: { allowed: true } });
  await world.admin((admin) => admin.setHostedNetwork(world.start.username, false));
  expect(await networkOf()).toBe(false);
});

test('a pending call goes to a host once it is approved, with the agent and the unit of that moment', async () => {
  await using host = await world.host();
  await cloud({ approval_required: true });
  const pending = (await (await world.call('cloud')).json()) as { approve_url: string; approval_id: string };
  expect((await get('/hosted/usage')).used).toBe(0);
  const decided = await owner.ask('POST', `/approvals/${pending.approval_id}/decide`, {
    body: { decision: 'approve' },
  });
  expect(decided.status).toBe(200);
  const order = await host.receive('run');
  expect(order.hosted).toMatchObject({ network: false });
  expect((await get('/hosted/usage')).used).toBe(1);
  host.end(order.execution_id, 0);
});

/** Units that executions of another month took, as far as the rest is concerned. */
async function useUp(count: number): Promise<void> {
  await using store = await openStore(readHubConfig({ SVC_DATA_DIR: world.dataDir }));
  const workspace = await store.accounts.workspaceByUsername(world.start.username);
  if (workspace === undefined) throw new Error('no workspace');
  const hosted = { period: '2026-11 hosted', limit: undefined, concurrent: undefined };
  for (let n = 0; n < count; n += 500) {
    const claims = Array.from({ length: Math.min(500, count - n) }, () =>
      store.executions.accept(
        newExecution({ workspaceId: workspace.id, state: 'rejected', createdAtMs: 0 }),
        {
          workspaceId: workspace.id,
          period: '2026-10',
          limit: undefined,
          hosted,
        },
      ),
    );
    await Promise.all(claims);
  }
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${world.hub.hubUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}
