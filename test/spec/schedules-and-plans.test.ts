// The schedules that plans allow, and their cost (reference 8, decisions 28, 37 and 46).
import { expect, test } from 'bun:test';
import { openHubFile } from '../hub-file.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { pollPause } from '../until.ts';

const MINUTE_MS = 60_000;

const scheduled = (...names: string[]) =>
  names.map((name) => ({ name, command: 'true', schedule: '* * * * *' }));

interface Shown {
  readonly endpoint: string;
  readonly state: string;
  readonly next_fires: readonly string[];
}

async function states(world: HubWorld): Promise<Record<string, string>> {
  const { items } = (await (await world.manage('/schedules')).json()) as { items: Shown[] };
  return Object.fromEntries(items.map(({ endpoint, state }) => [endpoint, state]));
}

interface Recorded {
  readonly endpoint: string;
  readonly status: string;
  readonly reason?: string;
}

/** Until this many fires are recorded and sent. */
async function fires(world: HubWorld, count: number): Promise<Recorded[]> {
  for (;;) {
    const { items } = (await (await world.manage('/executions')).json()) as { items: Recorded[] };
    if (items.filter(({ status }) => status !== 'queued').length >= count) return items;
    await pollPause();
  }
}

const endpointsOf = (all: readonly Recorded[]) => all.map(({ endpoint }) => endpoint).toSorted();

test('a plan without schedules ignores them: the agent gets a warning, the list shows it, and nothing fires', async () => {
  await using world = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'free' } });
  await using agent = await world.agent({ endpoints: scheduled('a') });
  expect(agent.welcome.warnings).toEqual(['"a": the schedule is ignored: the plan free has none']);
  expect(await states(world)).toEqual({ a: 'ignored' });
  world.clock.move(MINUTE_MS);
  // The search for lost agents runs each minute, too.
  await world.clock.untilTimer(MINUTE_MS, 2);
  expect(await fires(world, 0)).toEqual([]);
});

test('beyond the cap of a plan the earliest registered stay active, and a removed one makes room', async () => {
  await using world = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'pro' } });
  const first = await world.agent({ endpoints: scheduled('c', 'd') });
  expect(first.welcome.warnings).toEqual([]);
  world.clock.move(1_000);
  await first.vanish();
  await using all = await world.agent({ endpoints: scheduled('a', 'b', 'c', 'd') });
  expect(all.welcome.warnings).toEqual([
    '"b": the schedule is ignored: the plan pro has 3, which were registered earlier',
  ]);
  expect(await states(world)).toEqual({ a: 'active', b: 'ignored', c: 'active', d: 'active' });
  world.clock.move(MINUTE_MS - 1_000);
  expect(endpointsOf(await fires(world, 3))).toEqual(['a', 'c', 'd']);
  const response = await world.manage('/endpoints/c', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ schedule: '0 0 1 1 *' }),
  });
  expect(response.status).toBe(200);
  expect(await states(world)).toMatchObject({ b: 'ignored', c: 'active' });
  await all.vanish();
  await using _fewer = await world.agent({ endpoints: scheduled('a', 'b', 'd') });
  expect(await states(world)).toEqual({ a: 'active', b: 'active', d: 'active' });
});

test('a fire counts toward the month; when that is used up it is missed', async () => {
  await using world = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'pro' } });
  // All but one of the 50,000.
  await world.restart(async () => {
    using database = openHubFile(world.dataDir);
    database.run(
      `insert into quota (workspace_id, period, used) select id, '2026-11', 49999 from workspaces`,
    );
  });
  await using agent = await world.agent({ endpoints: scheduled('a') });
  for (const count of [1, 2]) {
    world.clock.move(MINUTE_MS);
    await fires(world, count);
  }
  expect(await fires(world, 2)).toMatchObject([{ status: 'missed', reason: 'quota' }, { status: 'running' }]);
  // The record exists before the frame arrives.
  await agent.receive('run');
  expect(agent.unread('run')).toBe(0);
});
