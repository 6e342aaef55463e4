// What a workspace lets AI agents do (decision 79, access of AI agents), and how they learn that their tools have changed.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline } from '../pipelines.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { until } from '../until.ts';
import { agentClient, textOf } from './agent-client.ts';
import { call, openStream, rpc, send } from './raw-agent.ts';

let world: HubWorld;
let agent: RealAgent;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await realAgent(world, [
    { name: 'disk', command: 'df -P', effects: 'read' },
    { name: 'restart', command: 'true', effects: 'write' },
    { name: 'long', command: 'sleep 60' },
    { name: 'long-read', command: 'sleep 60', effects: 'read' },
    { name: 'long-step', command: 'sleep 60' },
  ]);
  const steps = (...endpoints: string[]) => endpoints.map((endpoint) => ({ id: endpoint, endpoint }));
  await makePipeline(world, { slug: 'look', nodes: steps('disk') });
  await makePipeline(world, { slug: 'ship', nodes: steps('disk', 'restart') });
  await makePipeline(world, { slug: 'long-run', nodes: steps('long-step') });
});

afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
});

describe('the access of AI agents to the workspace', () => {
  const own = ['svc_output', 'svc_status', 'svc_cancel'];
  const raw = () => ({ url: `${world.hub.hubUrl}/mcp`, key: world.start.apiKey });
  const set = (access: string) =>
    world.manage('/workspace/ai-access', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ access }),
    });
  const shown = async () => (await (await world.manage('/workspace/ai-access')).json()) as object;
  const textAt = async (name: string, args: object = {}) => textOf((await call(raw(), name, args)).result);
  /** A call that has begun, its result, and the id of its execution. */
  async function began(name: string, endpoint = name) {
    const result = call(raw(), name, {});
    const running = async () => {
      const list = await (await world.manage(`/executions?endpoint=${endpoint}&status=running`)).json();
      return (list as { items: { execution_id: string }[] }).items[0]?.execution_id;
    };
    await until(async () => (await running()) !== undefined);
    return { result, id: (await running()) ?? '' };
  }

  test('read_only leaves the tools that read, and says why another one is refused', async () => {
    expect(await shown()).toEqual({ access: 'all' });
    const writes = await began('long');
    const reads = await began('long-read');
    const run = await began('long-run', 'long-step');
    expect(await (await set('read_only')).json()).toEqual({ access: 'read_only' });
    // The call that was open has ended, its execution goes on; the one that reads waits on.
    expect(textOf((await writes.result).result)).toContain(
      'AI agents may only read in this workspace, and this tool is not marked "effects: read"; what it has started continues',
    );
    expect(await textAt('svc_status', { id: writes.id })).toContain('running');
    // A run goes on as well, and the refusal has its id.
    const refused = textOf((await run.result).result);
    expect(refused).toStartWith('forbidden: AI agents may only read in this workspace');
    const runId = /\(run ([\w-]+)\)/.exec(refused)?.[1] ?? expect.unreachable();
    expect(await textAt('svc_status', { id: runId })).toStartWith(`Run ${runId} of "long-run": running.`);
    expect(await textAt('svc_cancel', { id: runId })).toContain(runId);
    const { result } = await rpc(raw(), 'tools/list');
    const tools = (result?.tools ?? []) as { name: string }[];
    expect(tools.map(({ name }) => name)).toEqual(['disk', 'long-read', 'look', ...own]);
    expect(await textAt('disk')).toStartWith('Exit code 0');
    for (const [name, args] of [
      ['restart', {}],
      ['svc_run', { name: 'restart' }],
      ['ship', {}],
      ['svc_run', { name: 'ship' }],
    ] as const)
      expect(await textAt(name, args)).toStartWith('forbidden: AI agents may only read in this workspace');
    for (const name of ['restart', 'ship'])
      expect(await textAt('svc_describe', { name })).toStartWith('not_found');
    expect(await textAt('svc_cancel', { id: writes.id })).toContain(writes.id);
    expect(await textAt('svc_cancel', { id: reads.id })).toContain(reads.id);
    expect(textOf((await reads.result).result)).toStartWith('No result (cancelled)');
  });

  test('off refuses every request, also one that is open, and is on record', async () => {
    const reads = await began('long-read');
    await set('off');
    expect(textOf((await reads.result).result)).toStartWith(
      'forbidden: the access of AI agents to this workspace is off',
    );
    for (const method of ['tools/list', 'server/discover']) {
      const refused = await rpc(raw(), method);
      expect(refused).toMatchObject({
        status: 403,
        error: 'the access of AI agents to this workspace is off',
      });
    }
    // The key still calls over plain HTTP.
    expect((await world.call('disk')).status).toBe(200);
    await set('all');
    expect(await textAt('svc_cancel', { id: reads.id })).toContain(reads.id);
    const { items } = (await (await world.manage('/audit?action=workspace.ai_access_changed')).json()) as {
      items: { details: object }[];
    };
    expect(items.map(({ details }) => details)).toEqual([
      { from: 'off', to: 'all' },
      { from: 'read_only', to: 'off' },
      { from: 'all', to: 'read_only' },
    ]);
  });

  test('is not set with a token that an agent has', async () => {
    await rpc({ ...raw(), key: world.start.accessToken }, 'tools/list');
    expect((await set('off')).status).toBe(403);
    expect(await shown()).toEqual({ access: 'all' });
  });
});

describe('a client that listens', () => {
  const LISTEN = { notifications: { toolsListChanged: true } };
  const json = { 'content-type': 'application/json' };
  const makeKey = async () => {
    const body = JSON.stringify({ name: 'listener' });
    const response = await world.manage('/api-keys', { method: 'POST', headers: json, body });
    return (await response.json()) as { id: string; token: string };
  };
  /** A connection that is open and was told to read the list. */
  async function listening(key: string) {
    const stream = openStream(
      await send({ url: `${world.hub.hubUrl}/mcp`, key }, 'subscriptions/listen', LISTEN),
    );
    await stream.messageWith('"method":"notifications/subscriptions/acknowledged"');
    await stream.messageWith('"method":"notifications/tools/list_changed"');
    return stream;
  }

  test('hears that the list of tools changed, and reads it again', async () => {
    const began = Promise.withResolvers<string[]>();
    const changed = Promise.withResolvers<string[]>();
    const client = await agentClient({
      url: `${world.hub.hubUrl}/mcp`,
      key: world.start.apiKey,
      onTools: (names) => (names.includes('made') ? changed : began).resolve(names),
    });
    expect(client.getServerCapabilities()?.tools).toEqual({ listChanged: true });
    expect(await began.promise).toContain('svc_status');
    const body = JSON.stringify({ slug: 'made', command: 'true' });
    expect((await world.manage('/endpoints', { method: 'POST', headers: json, body })).status).toBe(201);
    let names: string[] | undefined;
    void changed.promise.then((heard) => (names = heard));
    // Events of a workspace that has a listener are gathered first.
    await until(() => {
      if (world.clock.hasTimer(100)) world.clock.move(100);
      return names !== undefined;
    });
    expect(names).toContain('svc_status');
    await client.close();
  });

  test('gets an end when its key is revoked, and has a limit of connections', async () => {
    const { id, token } = await makeKey();
    const open = await Promise.all(Array.from({ length: 10 }, () => listening(token)));
    const refused = await send(
      { url: `${world.hub.hubUrl}/mcp`, key: token },
      'subscriptions/listen',
      LISTEN,
    );
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'concurrency_limited' }]);
    expect((await world.manage(`/api-keys/${id}`, { method: 'DELETE' })).status).toBe(204);
    for (const stream of open) expect(await stream.rest()).toContain('"resultType":"complete"');
  });

  test('of an earlier revision is not promised to hear of changes', async () => {
    const client = await agentClient({
      url: `${world.hub.hubUrl}/mcp`,
      key: world.start.apiKey,
      era: 'legacy',
    });
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: false },
      resources: { listChanged: false },
    });
    await client.close();
  });
});

test('an agent reads as often as it may call, and can always cancel', async () => {
  await using limited = await hubWorld({ env: { SVC_RATE_LIMITS: 'key=2' } });
  const raw = { url: `${limited.hub.hubUrl}/mcp`, key: limited.start.apiKey };
  const id = '01a1f8d3-ea00-7086-8937-9291956bb08c';
  const use = async (name: string) => textOf((await call(raw, name, { id })).result);
  const unknown = 'not_found: there is no such execution';
  expect([await use('svc_status'), await use('svc_output')]).toEqual([unknown, unknown]);
  expect(await use('svc_status')).toBe('rate_limited: more than 2 a minute');
  expect(await use('svc_output')).toBe('rate_limited: more than 2 a minute');
  const { error } = await rpc(raw, 'resources/read', { uri: `svc://executions/${id}/output` });
  expect(error?.message).toBe('rate_limited: more than 2 a minute');
  expect(await use('svc_cancel')).toBe(unknown);
});
