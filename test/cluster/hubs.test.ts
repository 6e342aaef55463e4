// Several hubs on one PostgreSQL and one bus: what is done at one is known at the others at once (decisions 29, 36, 44).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { NatsBus } from '@svc/hub/platform/bus/nats-bus';
import { unlessOlder } from '../beside/beside.ts';
import type { HubWorld } from '../hub-world.ts';
import { LiveEventReader } from '../live-event-reader.ts';
import { MovableClock } from '../movable-clock.ts';
import { type NatsServer, publishRaw, startNats } from '../nats.ts';
import { BrokenProvider, openIdSettings } from '../openid-providers.ts';
import { personWith, signIn } from '../people.ts';
import { makePipeline, postOf, showRun } from '../pipelines.ts';
import { PlainBrowser } from '../plain-browser.ts';
import { ScriptedAgent } from '../scripted-agent.ts';
import { until } from '../until.ts';
import { cluster, clusterMissing, figure, knowEachOther, ready, type TwoHubs, twoHubs } from './hubs.ts';

const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'guarded', command: 'true', approval_required: true },
];
const STEPS = 10;
/** A start of PostgreSQL, a broker and two hubs took 61 s at a load of 35 on two cores. */
const HOOK_MS = 180_000;
const withFormerUsernames = unlessOlder('0045', 'an earlier hub answers 404 at a former username');
const withMemberGroups = unlessOlder(
  '0040',
  'an earlier hub knows no groups for grants, and gives fewer rights',
);
/** The interval at which a hub polls for changes that others made to its runs. */
const POLL_MS = 1_000;

describe.skipIf(clusterMissing !== undefined)('hubs on a bus', () => {
  let hubs: TwoHubs;
  let provider: BrokenProvider;
  let nats: NatsServer;
  let worlds: readonly HubWorld[];
  let one: HubWorld;
  let other: HubWorld;
  beforeAll(async () => {
    provider = await BrokenProvider.start();
    hubs = await twoHubs({
      ...openIdSettings(provider.issuer),
      SVC_OIDC_GROUPS_CLAIM: 'realm_access.roles',
      SVC_OIDC_GROUPS_WORKSPACES: '*',
    });
    ({ nats, worlds, one, other } = hubs);
  }, HOOK_MS);
  afterAll(async () => {
    await hubs[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  }, HOOK_MS);

  /** Another instance each time: it has none of the executions of those before it. */
  const agentOf = (world: HubWorld) => world.agent({ endpoints: ENDPOINTS, instance: crypto.randomUUID() });

  async function started(world: HubWorld, slug = 'job'): Promise<string> {
    const response = await world.call(slug, { headers: { prefer: 'respond-async' } });
    return ((await response.json()) as { execution_id: string }).execution_id;
  }

  /** A key of its own, to be revoked. */
  async function makeKey(): Promise<{ id: string; token: string }> {
    const response = await one.manage('/api-keys', postOf({ name: 'short-lived' }));
    return (await response.json()) as { id: string; token: string };
  }

  const callWith = (world: HubWorld, token: string) =>
    world.call('job', { headers: { 'x-api-key': token, prefer: 'respond-async' } });

  async function listen(world: HubWorld): Promise<LiveEventReader> {
    const headers = { authorization: `Bearer ${world.start.accessToken}` };
    const reader = await LiveEventReader.open(`${world.hub.hubUrl}/events`, headers);
    await reader.until(({ type }) => type === 'ready');
    return reader;
  }

  test("publish events to each other's dashboards", async () => {
    await using reader = await listen(other);
    let isReceived = false;
    const received = reader.until((event) => event.type === 'change' && event.action === 'api_key.made');
    void received.then(() => {
      isReceived = true;
    });
    // The subscription is on its way to the first hub.
    await until(async () => {
      await makeKey();
      return isReceived;
    });
    expect((await received).event).toMatchObject({ kind: 'api_key', name: 'short-lived' });
    await using agent = await agentOf(one);
    await reader.until((event) => event.type === 'agent' && event.status === 'connected');
    const id = await started(one);
    await reader.until((event) => event.type === 'execution' && event.execution_id === id);
    expect((await agent.receive('run')).execution_id).toBe(id);
    expect(agent.unread('run')).toBe(0);
  });

  test('end what a revoked key opened at any of them before its revocation is answered', async () => {
    await using agent = await agentOf(other);
    const { id, token } = await makeKey();
    expect((await callWith(other, token)).status).toBe(202);
    const { execution_id } = await agent.receive('run');
    const follower = await fetch(`${other.hub.hubUrl}/executions/${execution_id}/stream`, {
      headers: { 'x-api-key': token },
    });
    expect((await one.manage(`/api-keys/${id}`, { method: 'DELETE' })).ok).toBe(true);
    expect((await callWith(other, token)).status).toBe(401);
    expect(await follower.text()).toMatch(/works no more|no longer work/);
  });

  test('refuse AI agents at each of them before a change of their access is answered', async () => {
    const listed = () =>
      fetch(`${other.hub.hubUrl}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${other.start.apiKey}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    const set = (access: string) =>
      one.manage('/workspace/ai-access', { ...postOf({ access }), method: 'PUT' });
    expect((await listed()).status).toBe(200);
    expect((await set('off')).status).toBe(200);
    expect((await listed()).status).toBe(403);
    expect((await set('all')).status).toBe(200);
    expect((await listed()).status).toBe(200);
  });

  withFormerUsernames(
    'lead a former username to the new one, or end it, at each of them before the change is answered',
    async () => {
      const ann = await signIn(one, 'ann@example.com');
      await ann.ask('PUT', '/workspace/username', { body: { username: 'ann' } });
      const key = String((await ann.ask('POST', '/api-keys', { body: { name: 'ci' } })).body.token);
      const rename = async (username: string, old_urls: string) => {
        const body = { username, old_urls };
        expect((await ann.ask('PATCH', '/workspace/username', { body })).status).toBe(200);
      };
      const listed = async (name: string) => {
        const headers = { 'x-api-key': key };
        const url = `${other.hub.hubUrl}/v1/${name}`;
        const answer = await fetch(url, { headers, redirect: 'manual' });
        return [answer.status, answer.headers.get('location')];
      };
      // The other hub has the workspace under its first username in its cache.
      expect([await listed('ann'), await listed('anna')]).toEqual([
        [200, null],
        [404, null],
      ]);
      await rename('anna', 'redirect');
      expect([await listed('ann'), await listed('anna')]).toEqual([
        [308, '/v1/anna'],
        [200, null],
      ]);
      await rename('ann', 'gone');
      expect([await listed('ann'), await listed('anna')]).toEqual([
        [200, null],
        [410, null],
      ]);
    },
  );

  withMemberGroups(
    'end what a grant allowed when it is withdrawn, or its group is left, at another, and refuse calls first',
    async () => {
      await using agent = await agentOf(other);
      const owner = await signIn(one, 'operator@localhost');
      const groups = [{ group: 'run', role: 'member' }];
      expect((await owner.ask('PUT', '/team/groups', { body: { groups } })).status).toBe(200);
      expect(
        (await owner.ask('PUT', '/team/endpoint-access', { body: { access: 'by_grants' } })).status,
      ).toBe(200);
      const lin = { sub: 'lin', email: 'lin@example.com', email_verified: true };
      const comesTo = async (world: HubWorld, ...roles: string[]) => {
        provider.person = { ...lin, realm_access: { roles } };
        const browser = new PlainBrowser();
        await browser.open(`${world.hub.hubUrl}/login/oidc`, ({ pathname }) => pathname === '/dashboard');
        return personWith(world, lin.email, browser.header(world.hub.hubUrl));
      };
      const makeGrant = async () => {
        const body = { grantee_kind: 'group', grantee: 'db', endpoints: ['job'], can: ['run'] };
        return String((await owner.ask('POST', '/team/endpoint-grants', { body })).body.id);
      };
      const atOther = await comesTo(other, 'run', 'db');
      const workspace = other.start.username;
      const call = () =>
        atOther.ask('POST', '/executions', { body: { endpoint: 'job', args: {} }, workspace });
      const stream = async () => {
        expect((await call()).status).toBe(202);
        const { execution_id } = await agent.receive('run');
        const headers = { cookie: atOther.cookie, 'x-svc-workspace': workspace };
        const followed = await fetch(`${other.hub.hubUrl}/executions/${execution_id}/stream`, { headers });
        expect(followed.status).toBe(200);
        return followed;
      };
      expect((await call()).status).toBe(404);
      const id = await makeGrant();
      const ofGrant = await stream();
      expect((await owner.ask('DELETE', `/team/endpoint-grants/${id}`)).status).toBe(204);
      expect((await call()).status).toBe(404);
      expect(await ofGrant.text()).not.toContain('exit_code');
      await makeGrant();
      const ofGroup = await stream();
      await comesTo(one, 'run');
      expect((await call()).status).toBe(404);
      expect(await ofGroup.text()).not.toContain('exit_code');
      expect((await owner.ask('PUT', '/team/endpoint-access', { body: { access: 'all' } })).status).toBe(200);
    },
  );

  test('answer a revocation only when each of them has confirmed its check', async () => {
    const slow = new NatsBus(
      { servers: [nats.address], user: undefined, password: undefined, credsFile: undefined, tls: undefined },
      { state: () => {}, bug: () => {} },
    );
    const reached = new Promise<void>((resolve) => slow.onState(() => resolve()));
    slow.join('slow');
    const isRequested = Promise.withResolvers<void>();
    const hasPolled = Promise.withResolvers<void>();
    slow.answer(async () => {
      isRequested.resolve();
      await hasPolled.promise;
      return { type: 'done' };
    });
    await reached;
    slow.publish('all', { type: 'here', workspaces: [], isFirst: true, asks: false });
    await until(async () => (await figure(one, 'svc_bus_other_hubs')) === 2);
    const { id } = await makeKey();
    const order: string[] = [];
    const revoked = one.manage(`/api-keys/${id}`, { method: 'DELETE' }).then(() => order.push('answered'));
    await isRequested.promise;
    order.push('looked');
    hasPolled.resolve();
    await revoked;
    expect(order).toEqual(['looked', 'answered']);
    slow.publish('all', { type: 'leaves' });
    await slow.close();
  });

  test('send away the agent whose token was revoked at another', async () => {
    const made = await one.manage('/agent-tokens', postOf({ name: 'short-lived' }));
    const { id, token } = (await made.json()) as { id: string; token: string };
    await using agent = await ScriptedAgent.connect({
      ...{ hubUrl: other.hub.hubUrl, token, endpoints: ENDPOINTS, instance: crypto.randomUUID() },
      name: 'short-lived',
    });
    expect((await one.manage(`/agent-tokens/${id}`, { method: 'DELETE' })).ok).toBe(true);
    expect(await agent.closed).toBe(4401);
  });

  test('no longer call an endpoint that was deleted at another', async () => {
    await using agent = await agentOf(other);
    const made = await one.manage('/endpoints', postOf({ slug: 'made', command: 'true' }));
    expect(made.status).toBe(201);
    await started(other, 'made');
    await agent.receive('run');
    await one.manage('/endpoints/made', { method: 'DELETE' });
    // It would run an execution that it does not have yet.
    const again = () => other.call('made', { headers: { prefer: 'respond-async' } });
    await until(async () => (await again()).status === 404);
  });

  test('cancel what runs at another hub, and nothing because of a frame from a foreign client', async () => {
    await using agent = await agentOf(other);
    const runningId = await started(other);
    const frame = { type: 'cancel_asked', executionId: runningId };
    await publishRaw(nats.address, [JSON.stringify({ v: 1, from: 'stranger', frame })]);
    // Several frames, so that the earlier ones have been read for sure.
    for (let count = 0; count < 5; count += 1) {
      const id = await started(other);
      expect((await one.manage(`/executions/${id}/cancel`, { method: 'POST' })).ok).toBe(true);
      await agent.receive('cancel', ({ execution_id }) => execution_id === id);
    }
    expect(agent.unread('cancel')).toBe(0);
    expect(await figure(other, 'svc_bus_ignored_frames_total')).toBe(0);
  });

  test('run at the one with the agent what is approved at the other', async () => {
    await using agent = await agentOf(other);
    const call = await one.call('guarded');
    const { approval_id: id } = (await call.json()) as { approval_id: string };
    await one.manage(`/approvals/${id}/decide`, postOf({ decision: 'approve' }));
    const { execution_id } = await agent.receive('run');
    expect(execution_id).toBe(call.headers.get('x-execution-id') ?? '');
    agent.end(execution_id, 0);
    await agent.receive('ended_ack');
    expect(agent.unread('run')).toBe(0);
  });

  test('bring a run to its end, one with the run and one with the agent, before the next poll', async () => {
    await using broker = await startNats();
    // With these clocks no hub polls by itself.
    const clockOf = () => new MovableClock(undefined, POLL_MS / 2);
    const still = await cluster(2, { postgres: hubs.postgres, nats: broker }, {}, clockOf);
    await using first = still[0] as HubWorld;
    await using second = still[1] as HubWorld;
    await using agent = await agentOf(second);
    const nodes = Array.from({ length: STEPS }, (_, at) => ({
      id: `s${at}`,
      endpoint: 'job',
      needs: at === 0 ? [] : [`s${at - 1}`],
    }));
    await makePipeline(first, { slug: 'run', trigger: { type: 'manual' }, nodes });
    const begun = await first.manage('/pipeline-runs', postOf({ pipeline: 'run' }));
    const { run_id: id } = (await begun.json()) as { run_id: string };
    for (const [at, node] of nodes.entries()) {
      const { execution_id } = await agent.receive('run', ({ step }) => step === node.id);
      await until(async () => (await showRun(first, id)).nodes[at]?.status === 'running');
      agent.end(execution_id, 0);
    }
    await until(async () => (await showRun(first, id)).status === 'succeeded');
  }, 60_000);

  test('end a run that is cancelled at another', async () => {
    await using agent = await agentOf(one);
    const nodes = [{ id: 'long', endpoint: 'job' }];
    await makePipeline(one, { slug: 'ended', trigger: { type: 'manual' }, nodes });
    const begun = await one.manage('/pipeline-runs', postOf({ pipeline: 'ended' }));
    const { run_id: id } = (await begun.json()) as { run_id: string };
    await agent.receive('run');
    expect((await other.manage(`/pipeline-runs/${id}/cancel`, { method: 'POST' })).ok).toBe(true);
    await agent.receive('cancel');
  });

  test('say when the bus is lost, serve their own agents meanwhile, and know what they missed when it is back', async () => {
    await using agent = await agentOf(other);
    await using reader = await listen(other);
    const { id, token } = await makeKey();
    expect((await callWith(other, token)).status).toBe(202);
    expect(await ready(one)).toEqual([200, { ready: true, bus: 'ok' }]);
    let cancelled = '';
    await nats.kill();
    try {
      for (const world of worlds)
        await until(async () => JSON.stringify(await ready(world)) === '[200,{"ready":true,"bus":"lost"}]');
      expect((await one.manage(`/api-keys/${id}`, { method: 'DELETE' })).ok).toBe(true);
      // The hub has no event of that, and would find it with its next poll, 2.5 s later.
      expect((await callWith(other, token)).status).toBe(202);
      cancelled = await started(other);
      await agent.receive('run', ({ execution_id }) => execution_id === cancelled);
      expect((await one.manage(`/executions/${cancelled}/cancel`, { method: 'POST' })).ok).toBe(true);
      expect(agent.unread('cancel')).toBe(0);
    } finally {
      await nats.start();
    }
    // The clocks stand still, so no heartbeat has polled.
    await agent.receive('cancel', ({ execution_id }) => execution_id === cancelled);
    await knowEachOther(worlds);
    await reader.until(({ type }) => type === 'reset');
    await until(async () => (await callWith(other, token)).status === 401);
    expect(await ready(other)).toEqual([200, { ready: true, bus: 'ok' }]);
    expect(await figure(other, 'svc_bus_ignored_frames_total')).toBe(0);
  });

  test('forget one that has stopped, and answer a revocation without it', async () => {
    await other.hub.stop({ graceMs: 0 });
    await until(async () => (await figure(one, 'svc_bus_other_hubs')) === 0);
    const { id } = await makeKey();
    expect((await one.manage(`/api-keys/${id}`, { method: 'DELETE' })).ok).toBe(true);
  });
});
