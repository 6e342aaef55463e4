// Agents and their tokens: decisions 28, 30, 32 and 47.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { realAgent } from '../real-agent.ts';
import { hello, ScriptedAgent } from '../scripted-agent.ts';
import { pollPause } from '../until.ts';

let world: HubWorld;
beforeEach(async () => {
  world = await hubWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

type Agent = Record<string, unknown>;

const OTHER = '22222222-2222-4222-8222-222222222222';

async function agents(): Promise<Agent[]> {
  return ((await (await world.manage('/agents')).json()) as { items: Agent[] }).items;
}

/** The hub's background records show in nothing but its answers. */
async function until(isSo: (all: Agent[]) => boolean): Promise<Agent[]> {
  for (;;) {
    const all = await agents();
    if (isSo(all)) return all;
    await pollPause();
  }
}

const isOnline = ({ status }: Agent) => status === 'online';

test('an agent is listed with what it is, where it runs, what it serves and what it has to do', async () => {
  await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }], isLocalOnly: true });
  const [listed] = await until((all) => all.some(isOnline));
  expect(listed).toEqual({
    name: 'default',
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    status: 'online',
    version: '0.0.0',
    host: { hostname: 'test', os: 'linux', arch: 'x64' },
    local_only: true,
    journal_damaged_at: null,
    connected_at: '2026-11-20T12:00:00.000Z',
    last_seen_at: '2026-11-20T12:00:00.000Z',
    running: 0,
    endpoints: ['job'],
  });
  const called = world.call('job');
  const { execution_id: id } = await agent.receive('run');
  world.clock.move(60_000);
  expect(await agents()).toMatchObject([{ running: 1, last_seen_at: '2026-11-20T12:01:00.000Z' }]);
  agent.end(id, 0);
  await called;
  expect(await agents()).toMatchObject([{ running: 0 }]);
});

test('an agent that left is still listed, with its last time online, and with its new version when it is back', async () => {
  const agent = await world.agent({ endpoints: [] });
  await until((all) => all.some(isOnline));
  world.clock.move(30_000);
  await agent.vanish();
  await until((all) => !all.some(isOnline));
  world.clock.move(30_000);
  const [gone] = await until(([one]) => one?.last_seen_at === '2026-11-20T12:00:30.000Z');
  expect(gone).toMatchObject({ status: 'offline', connected_at: null });
  await using _back = await world.agent({ endpoints: [] });
  expect(await until((all) => all.some(isOnline))).toMatchObject([
    { connected_at: '2026-11-20T12:01:00.000Z' },
  ]);
});

test('after a start of the hub only connected agents are online, and all are remembered', async () => {
  const first = await world.agent({ endpoints: [] });
  await using _second = await world.agent({ endpoints: [], instance: OTHER });
  await until((all) => all.filter(isOnline).length === 2);
  await world.restart();
  expect((await agents()).map(({ status }) => status)).toEqual(['offline', 'offline']);
  await first[Symbol.asyncDispose]();
});

test('a token is bound to a name, and its connections end at once when it is revoked', async () => {
  const made = await world.manage('/agent-tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'build', agent_name: 'build' }),
  });
  const { id, token } = (await made.json()) as { id: string; token: string };
  const options = { hubUrl: world.hub.hubUrl, token, endpoints: [] };
  await using agent = await ScriptedAgent.connect({ ...options, name: 'build' });
  const refused = await ScriptedAgent.connect({ ...options, name: 'other' }).then(
    () => 'welcome',
    () => 'refused',
  );
  expect(refused).toBe('refused');
  expect((await world.manage(`/agent-tokens/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await agent.closed).toBe(4401);
  const again = await ScriptedAgent.dial(options).then(
    () => 'open',
    () => 'refused',
  );
  expect(again).toBe('refused');
  await until((all) => !all.some(isOnline));
});

test('a token that was revoked before its agent sent hello is refused, however late the hello comes', async () => {
  const made = await world.manage('/agent-tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'build' }),
  });
  const { id, token } = (await made.json()) as { id: string; token: string };
  await using agent = await ScriptedAgent.dial({ hubUrl: world.hub.hubUrl, token });
  expect((await world.manage(`/agent-tokens/${id}`, { method: 'DELETE' })).status).toBe(204);
  world.clock.move(60 * 60_000);
  agent.say(hello({ endpoints: [{ name: 'job', command: 'true' }] }));
  expect(await agent.closed).toBe(4401);
  expect(agent.unread('welcome')).toBe(0);
  expect((await world.manage('/endpoints/job')).status).toBe(404);
});

test('a real agent says its version and host', async () => {
  await using _agent = await realAgent(world, [{ name: 'job', command: 'true' }], ['--name', 'box']);
  const [listed] = await until((all) => all.some(isOnline));
  expect(listed).toMatchObject({
    name: 'box',
    version: expect.stringMatching(/^\d+\.\d+/),
    local_only: false,
    host: { os: 'linux' },
  });
});
