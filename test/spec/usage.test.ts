// Plans, quota and usage: references 2.9 and 8, decision 46, plans and quotas, and decision 47, answers of the management
// API.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type Person, signIn } from '../people.ts';

let world: HubWorld;
let owner: Person;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'pro', SVC_RATE_LIMITS: 'off' } });
  owner = await signIn(world, 'operator@localhost');
});
afterEach(() => world[Symbol.asyncDispose]());

const get = async (path: string) => (await owner.ask('GET', path)).body;
const choose = (plan: string) => owner.ask('PUT', '/workspace/plan', { body: { plan } });
const MONTH = { period: '2026-11', resets_at: '2026-12-01T00:00:00.000Z' };

test('usage of the plan is counted: executions of the month, seats, schedules', async () => {
  await using agent = await world.agent({
    endpoints: [
      { name: 'job', command: 'true' },
      { name: 'nightly', command: 'true', schedule: '0 5 * * *' },
    ],
  });
  const called = world.call('job');
  await agent.answer('ok\n');
  await called;
  expect(await get('/usage')).toEqual({
    plan: 'pro',
    ...MONTH,
    executions: { used: 1, limit: 50_000, remaining: 49_999 },
    seats: { used: 1, limit: 1 },
    schedules: { used: 1, limit: 3 },
    months: [{ period: '2026-11', executions: 1, hosted: 0 }],
  });
  world.clock.move(11 * 86_400_000);
  // Sessions are over by then.
  const { accessToken } = await world.hub.firstRun();
  const authorization = { authorization: `Bearer ${accessToken}` };
  const december = await world.manage('/usage', { headers: authorization });
  expect(await december.json()).toMatchObject({
    period: '2026-12',
    executions: { used: 0 },
    months: [{ period: '2026-11', executions: 1, hosted: 0 }],
  });
  const again = world.call('job');
  await agent.answer('ok\n');
  await again;
  const { months } = (await (await world.manage('/usage', { headers: authorization })).json()) as {
    months: object[];
  };
  expect(months).toEqual([
    { period: '2026-12', executions: 1, hosted: 0 },
    { period: '2026-11', executions: 1, hosted: 0 },
  ]);
});

test('hosted usage counts what ran on the hosted runner, and what runs now', async () => {
  await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  const onOwnAgent = world.call('job');
  await agent.answer('ok\n');
  await onOwnAgent;
  const limits = { vcpus: 1, memory_bytes: 512 * 1024 * 1024, timeout_s: 120 };
  const none = { ...MONTH, used: 0, limit: 5_000, remaining: 5_000, plan: 'pro', available: false, limits };
  expect(await get('/hosted/usage')).toEqual({ ...none, concurrent: { running: 0, limit: 5 } });
  await using runner = await world.host();
  await owner.ask('POST', '/endpoints', { body: { slug: 'cloud', command: 'true', agent_name: 'hosted' } });
  const first = world.call('cloud');
  await runner.answer('ok\n');
  expect((await first).status).toBe(200);
  const second = world.call('cloud');
  const { execution_id: id } = await runner.receive('run');
  const running = { used: 2, remaining: 4_998, available: true, concurrent: { running: 1, limit: 5 } };
  expect(await get('/hosted/usage')).toMatchObject(running);
  runner.end(id, 0);
  await second;
  expect((await get('/hosted/usage')).concurrent).toEqual({ running: 0, limit: 5 });
  await choose('free');
  const free = { limit: 0, remaining: 0, limits: null, concurrent: { running: 0, limit: 0 } };
  expect(await get('/hosted/usage')).toMatchObject(free);
});

test('a plan is changed by the owner, holds from the next call on, and says what is beyond it', async () => {
  await choose('team');
  await owner.ask('POST', '/team/invite', { body: { email: 'lin@example.org', role: 'admin' } });
  await using _agent = await world.agent({
    endpoints: [{ name: 'nightly', command: 'true', schedule: '0 5 * * *' }],
  });
  const changed = await choose('free');
  expect(changed.body).toMatchObject({
    plan: 'free',
    effects: [
      { what: 'seats', used: 2, allowed: 1 },
      { what: 'schedules', used: 1, allowed: 0 },
    ],
  });
  expect((await get('/workspace')).plan).toBe('free');
  const { items } = (await get('/team/invites')) as { items: unknown[] };
  expect(items).toHaveLength(1);
  const { body } = await owner.ask('POST', '/team/invite', {
    body: { email: 'b@example.org', role: 'member' },
  });
  expect(body.code).toBe('seat_limit_reached');
  expect((await choose('team')).body).toEqual({ plan: 'team', effects: [] });
  const audit = (await get('/audit')).items as { action: string; details: object }[];
  const plans = audit.filter(({ action }) => action === 'workspace.plan_changed');
  expect(plans.map(({ details }) => details)).toEqual([
    { from: 'free', to: 'team' },
    { from: 'team', to: 'free' },
    { from: 'pro', to: 'team' },
  ]);
});

test('a call beyond the quota of a smaller plan is refused until the month is over', async () => {
  await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
  await choose('free');
  const called = Array.from({ length: 1_001 }, () =>
    world.call('job', { headers: { prefer: 'respond-async' } }),
  );
  const statuses = (await Promise.all(called)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  for (let run = 0; run < 1_000; run += 1) await agent.receive('run');
  expect(agent.unread('run')).toBe(0);
  expect((await get('/usage')).executions).toEqual({ used: 1_000, limit: 1_000, remaining: 0 });
  expect((await choose('pro')).body.effects).toEqual([]);
  expect((await world.call('job', { headers: { prefer: 'respond-async' } })).status).toBe(202);
});

test('"unlimited" is given by operators alone, where it is not what everybody gets', async () => {
  expect([(await choose('unlimited')).status, (await choose('gold')).status]).toEqual([403, 400]);
  expect((await get('/workspace')).plan).toBe('pro');
  await using own = await hubWorld();
  const mine = await signIn(own, 'operator@localhost');
  const plan = (name: string) => mine.ask('PUT', '/workspace/plan', { body: { plan: name } });
  expect([(await plan('free')).status, (await plan('unlimited')).status]).toEqual([200, 200]);
});
