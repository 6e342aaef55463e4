// Schedules after an outage, and when the clock of the hub is set forward or back (decision 37, schedules).
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { pollPause } from '../until.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ENDPOINTS = [{ name: 'job', command: 'true', schedule: '* * * * *' }];

let world: HubWorld;
beforeEach(async () => {
  world = await hubWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

interface Recorded {
  readonly status: string;
  readonly reason?: string;
  readonly scheduled_for: string;
  readonly missed_fires?: number;
}

interface Page {
  readonly items: Recorded[];
  readonly next_cursor: string | null;
}

/** All there are, by the minute that they are for. */
async function recorded(): Promise<Recorded[]> {
  const all: Recorded[] = [];
  // The token of the beginning lives for half a day.
  const headers = { authorization: `Bearer ${(await world.hub.firstRun()).accessToken}` };
  let cursor: string | null = '';
  do {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await (await world.manage(`/executions?limit=100${query}`, { headers })).json()) as Page;
    all.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all.toSorted((a, b) => (a.scheduled_for < b.scheduled_for ? -1 : 1));
}

/** Until the fire of the minute that it is now is on record, and each is given to its agent where it may be. */
async function untilFired(): Promise<Recorded[]> {
  const minute = new Date(world.clock.nowMs()).toISOString().slice(0, 17);
  for (;;) {
    const all = await recorded();
    const isThere = all.some(({ scheduled_for }) => scheduled_for.startsWith(minute));
    if (isThere && all.every(({ status }) => status !== 'queued')) return all;
    await pollPause();
  }
}

async function move(byMs: number): Promise<Recorded[]> {
  world.clock.move(byMs);
  return await untilFired();
}

const minutesOf = (all: readonly Recorded[]) => all.map(({ scheduled_for }) => scheduled_for);
const at = (text: string) => `2026-11-20T${text}:00.000Z`;

test.each([
  ['an hour', HOUR_MS, 60],
  ['half a day', DAY_MS / 2, 720],
  ['a day', DAY_MS, 1_440],
])(
  'when the clock is set forward by %s, one record counts the fires in between, and the one of now starts',
  async (_, byMs, count) => {
    await using agent = await world.agent({ endpoints: ENDPOINTS });
    const [lost, last, ...more] = await move(byMs);
    expect(more).toEqual([]);
    expect(last).toMatchObject({ status: 'running' });
    // The last of them has started.
    expect(lost).toMatchObject({ status: 'missed', reason: 'hub_down', missed_fires: count - 1 });
    await agent.receive('run');
    expect(agent.unread('run')).toBe(0);
  },
);

test.each([
  ['an hour', HOUR_MS],
  ['a day', DAY_MS],
])('when the clock is set back by %s, no minute has a second record, also after a pause', async (_, byMs) => {
  await using agent = await world.agent({ endpoints: ENDPOINTS });
  await move(2 * MINUTE_MS);
  world.clock.move(-byMs);
  await world.manage('/schedules/job/pause', { method: 'POST' });
  await world.manage('/schedules/job/resume', { method: 'POST' });
  // Until after the last minute that is on record.
  const all = await move(byMs + MINUTE_MS);
  expect(new Set(minutesOf(all)).size).toBe(all.length);
  expect(minutesOf(all).slice(-3)).toEqual([at('12:01'), at('12:02'), at('12:03')]);
  expect(all.slice(-3).map(({ reason, status }) => reason ?? status)).toEqual([
    'hub_down',
    'running',
    'running',
  ]);
  for (let run = 0; run < 2; run += 1) await agent.receive('run');
  expect(agent.unread('run')).toBe(0);
});

test('when the clock is set back, the fire of a minute is not sent for approval a second time', async () => {
  const endpoints = ENDPOINTS.map((one) => ({ ...one, approval_required: true }));
  await world.agent({ endpoints });
  await world.manage('/alerts', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'ask',
      events: ['approval.pending'],
      channel: 'email',
      target: 'operator@localhost',
    }),
  });
  await move(MINUTE_MS);
  world.clock.move(-MINUTE_MS / 2);
  await world.manage('/schedules/job/pause', { method: 'POST' });
  await world.manage('/schedules/job/resume', { method: 'POST' });
  // Its first minute comes again and is checked as a hub starts; then comes a new one.
  world.clock.move(MINUTE_MS / 2);
  await world.restart();
  await using _agent = await world.agent({ endpoints });
  // The search for lost agents runs each minute, too.
  await world.clock.untilTimer(MINUTE_MS, 2);
  const all = await move(MINUTE_MS);
  expect(minutesOf(all)).toEqual([at('12:01'), at('12:02')]);
  const mails = async () =>
    ((await (await world.manage('/outbox')).json()) as { items: { created_at: string }[] }).items;
  const isOfSecond = ({ created_at }: { created_at: string }) => created_at >= at('12:02');
  while (!(await mails()).some(isOfSecond)) await pollPause();
  expect(await mails()).toHaveLength(2);
});

test('a hub that was stopped for some minutes counts their fires in one record, and gives its agent a minute for the last', async () => {
  const agent = await world.agent({ endpoints: ENDPOINTS });
  await world.restart(async () => {
    await agent.vanish();
    world.clock.move(3 * MINUTE_MS + 20_000);
  });
  await using back = await world.agent({ endpoints: ENDPOINTS });
  const all = await untilFired();
  expect(all.map(({ reason, status }) => reason ?? status)).toEqual(['hub_down', 'running']);
  expect(all[0]?.missed_fires).toBe(2);
  await back.receive('run');
  expect(back.unread('run')).toBe(0);
});

test('a fire that waits for its agent after a start of the hub is missed when its minute is over', async () => {
  const agent = await world.agent({ endpoints: ENDPOINTS });
  await world.restart(async () => {
    await agent.vanish();
    world.clock.move(MINUTE_MS + 20_000);
  });
  while ((await recorded()).length === 0) await pollPause();
  world.clock.move(40_000);
  const all = await untilFired();
  expect(all[0]).toMatchObject({ status: 'missed', reason: 'hub_down', scheduled_for: at('12:01') });
  await using back = await world.agent({ endpoints: ENDPOINTS });
  expect(back.unread('run')).toBe(0);
});
