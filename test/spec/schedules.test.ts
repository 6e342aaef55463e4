// Scheduled endpoints (reference 3.3, decision 24, states and takeover, and decision 37, schedules): each fire is recorded
// once, in every case.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { unlessBeside } from '../beside/beside.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { pollPause } from '../until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How that goes where there are others is in schedules-two-hubs.test.ts. */
const alone = unlessBeside('a fire without an agent is left to other hubs for ten seconds');
const EACH_MINUTE = { name: 'job', command: 'true', schedule: '* * * * *' };

let world: HubWorld;
afterEach(() => world[Symbol.asyncDispose]());

const connect = (options: Partial<Parameters<HubWorld['agent']>[0]> = {}) =>
  world.agent({ endpoints: [EACH_MINUTE], ...options });

interface Recorded {
  readonly execution_id: string;
  readonly endpoint: string;
  readonly status: string;
  readonly reason?: string;
  readonly code?: string;
  readonly trigger: string;
  readonly scheduled_for?: string;
  readonly missed_fires?: number;
}

/** The oldest first. */
async function recorded(query = ''): Promise<Recorded[]> {
  const response = await world.manage(`/executions?limit=100${query}`);
  return ((await response.json()) as { items: Recorded[] }).items.toReversed();
}

/** The hub's background work shows in nothing but its answers. */
async function until(isSo: (all: readonly Recorded[]) => boolean): Promise<Recorded[]> {
  for (;;) {
    const all = await recorded();
    if (isSo(all)) return all;
    await pollPause();
  }
}

const summaryOf = (all: readonly Recorded[]) =>
  all.map(({ status, reason, scheduled_for }) => [scheduled_for?.slice(11, 16), reason ?? status]);

/** The hub knows it, too. */
async function vanish(agent: ScriptedAgent): Promise<void> {
  await agent.vanish();
  const agents = async () =>
    (await (await world.manage('/agents')).json()) as { items: { status: string }[] };
  while ((await agents()).items.some(({ status }) => status === 'online')) await pollPause();
}

/** Moves the clock, and waits for a record of the minute that it is then; it may be on its way to an agent. */
async function move(byMs: number): Promise<Recorded[]> {
  world.clock.move(byMs);
  const minute = new Date(world.clock.nowMs()).toISOString().slice(0, 17);
  return await until((all) =>
    all.some((one) => one.scheduled_for?.startsWith(minute) && one.status !== 'queued'),
  );
}

async function finish(agent: ScriptedAgent): Promise<string> {
  const { execution_id: id } = await agent.receive('run');
  agent.end(id, 0);
  await agent.receive('ended_ack');
  return id;
}

async function schedule(name = 'job') {
  const { items } = (await (await world.manage('/schedules')).json()) as { items: Record<string, unknown>[] };
  return items.find(({ endpoint }) => endpoint === name);
}

function setSchedule(text: string | null) {
  return world.manage('/endpoints/job', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ schedule: text }),
  });
}

describe('a schedule', () => {
  beforeEach(async () => {
    world = await hubWorld();
  });

  test('fires as its minute begins, and leaves a record of the fire that it was', async () => {
    await using agent = await connect();
    await move(MINUTE_MS);
    const first = await finish(agent);
    await move(MINUTE_MS);
    const second = await finish(agent);
    const all = await recorded();
    expect(all.map(({ execution_id }) => execution_id)).toEqual([first, second]);
    expect(all).toMatchObject([
      { trigger: 'schedule', status: 'succeeded', scheduled_for: '2026-11-20T12:01:00.000Z' },
      { trigger: 'schedule', status: 'succeeded', scheduled_for: '2026-11-20T12:02:00.000Z' },
    ]);
  });

  alone('whose agent is away misses its fire, and nothing is made up for when it is back', async () => {
    const agent = await connect();
    await vanish(agent);
    await move(MINUTE_MS);
    await using back = await connect();
    expect(summaryOf(await recorded('&status=missed'))).toEqual([['12:01', 'agent_offline']]);
    await move(MINUTE_MS);
    await finish(back);
    expect(summaryOf(await recorded())).toEqual([
      ['12:01', 'agent_offline'],
      ['12:02', 'succeeded'],
    ]);
    expect(back.unread('run')).toBe(0);
    expect(await schedule()).toMatchObject({
      last_fire: { status: 'succeeded', scheduled_for: '2026-11-20T12:02:00.000Z' },
      last_missed: { status: 'missed', reason: 'agent_offline' },
    });
  });

  test('of the same minute as others: the processes of a pool share them', async () => {
    const endpoints = Array.from({ length: 6 }, (_, index) => ({ ...EACH_MINUTE, name: `job-${index}` }));
    await using one = await connect({ endpoints });
    await using other = await connect({ endpoints, instance: crypto.randomUUID() });
    await move(MINUTE_MS);
    const ids: string[] = [];
    for (const agent of [one, other])
      for (let count = 0; count < 3; count += 1) ids.push((await agent.receive('run')).execution_id);
    expect(new Set(ids).size).toBe(6);
    expect(await recorded()).toHaveLength(6);
  });

  test('of an endpoint with as many executions as may be misses its fire', async () => {
    await using agent = await connect({ endpoints: [{ ...EACH_MINUTE, max_concurrent: 1 }] });
    await move(MINUTE_MS);
    const { execution_id: running } = await agent.receive('run');
    await move(MINUTE_MS);
    expect(summaryOf(await recorded())).toEqual([
      ['12:01', 'running'],
      ['12:02', 'overlap'],
    ]);
    agent.end(running, 0);
    await agent.receive('ended_ack');
    await move(MINUTE_MS);
    expect((await agent.receive('run')).endpoint).toBe('job');
  });

  test('that is paused does not fire, can be called, and continues with its next fire when it is resumed', async () => {
    await using agent = await connect();
    const paused = await world.manage('/schedules/job/pause', { method: 'POST' });
    expect(await paused.json()).toMatchObject({ state: 'paused', next_fires: [], schedule: '* * * * *' });
    world.clock.move(3 * MINUTE_MS);
    const called = world.call('job');
    await agent.answer('by hand\n');
    expect((await called).status).toBe(200);
    const resumed = await world.manage('/schedules/job/resume', { method: 'POST' });
    expect(await resumed.json()).toMatchObject({ state: 'active', last_fire: null, last_missed: null });
    const all = await move(MINUTE_MS);
    expect(summaryOf(all.filter(({ trigger }) => trigger === 'schedule'))).toEqual([['12:04', 'running']]);
    const audit = (await (await world.manage('/audit')).json()) as { items: { action: string }[] };
    const actions = audit.items.map(({ action }) => action).filter((action) => action.startsWith('schedule'));
    expect(actions.toSorted()).toEqual(['schedule.paused', 'schedule.resumed']);
  });

  test('is listed with its words and its next five fires', async () => {
    await using _agent = await connect({ endpoints: [{ ...EACH_MINUTE, schedule: '0 12 29 2 *' }] });
    expect(await schedule()).toEqual({
      endpoint: 'job',
      schedule: '0 12 29 2 *',
      words: 'at 12:00 on day 29 of the month in February, UTC',
      state: 'active',
      next_fires: [2028, 2032, 2036, 2040, 2044].map((year) => `${year}-02-29T12:00:00.000Z`),
      last_fire: null,
      last_missed: null,
      registered_at: '2026-11-20T12:00:00.000Z',
    });
  });

  test('that is changed, overridden, reset or removed fires by the new expression', async () => {
    const agent = await connect();
    expect((await setSchedule('30 * * * *')).status).toBe(200);
    expect(await schedule()).toMatchObject({ schedule: '30 * * * *' });
    await setSchedule(null);
    expect(await schedule()).toMatchObject({ schedule: '* * * * *' });
    await vanish(agent);
    const hourly = await connect({ endpoints: [{ ...EACH_MINUTE, schedule: '0 * * * *' }] });
    expect(await schedule()).toMatchObject({ schedule: '0 * * * *' });
    await move(HOUR_MS);
    expect(summaryOf(await recorded())).toEqual([['13:00', 'running']]);
    await vanish(hourly);
    await using _without = await connect({ endpoints: [{ name: 'job', command: 'true' }] });
    expect(await schedule()).toBeUndefined();
  });

  test('of an endpoint of the API is created and removed with it', async () => {
    await using agent = await connect({ endpoints: [] });
    const created = await world.manage('/endpoints', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ slug: 'job', command: 'true', schedule: '* * * * *' }),
    });
    expect(created.status).toBe(201);
    await move(MINUTE_MS);
    expect(await agent.receive('run')).toMatchObject({ endpoint: 'job', definition: { command: 'true' } });
    await world.manage('/endpoints/job', { method: 'DELETE' });
    expect(await schedule()).toBeUndefined();
  });

  test('that was paused stays paused when its expression is changed', async () => {
    await using _agent = await connect();
    await world.manage('/schedules/job/pause', { method: 'POST' });
    await setSchedule('30 * * * *');
    expect(await schedule()).toMatchObject({ schedule: '30 * * * *', state: 'paused' });
  });

  test('of an endpoint that needs approval asks for it, and runs when it is given, however late', async () => {
    await using agent = await connect({ endpoints: [{ ...EACH_MINUTE, approval_required: true }] });
    const all = await move(MINUTE_MS);
    expect(all).toMatchObject([{ status: 'pending_approval', trigger: 'schedule' }]);
    await world.manage('/schedules/job/pause', { method: 'POST' });
    const pending = (await (await world.manage('/approvals')).json()) as { items: { approval_id: string }[] };
    expect(pending.items).toMatchObject([{ requested_by: 'its schedule' }]);
    world.clock.move(10 * MINUTE_MS);
    await decide(pending.items[0]?.approval_id ?? '', 'approve');
    const { execution_id: id } = await agent.receive('run');
    expect(id).toBe(all[0]?.execution_id ?? '');
    agent.end(id, 0);
    await agent.receive('ended_ack');
    expect(summaryOf(await recorded())).toEqual([['12:01', 'succeeded']]);
  });
});

function decide(approvalId: string, decision: string) {
  return world.manage(`/approvals/${approvalId}/decide`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision }),
  });
}
