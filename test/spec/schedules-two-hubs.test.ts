// Hubs that share a PostgreSQL share its schedules: each fire is on record once, at the hub that has the agent (decision
// 37, schedules).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';
import { pollPause } from '../until.ts';

const MINUTE_MS = 60_000;
/** The time for which a fire is left to the hub that may have its agent. */
const LEFT_MS = 10_000;
/** The interval of a hub's heartbeat. */
const WITH_GRACE_PERIODS = 2;
const COUNT = 40;
const SECOND = '22222222-2222-4222-8222-222222222222';
const ENDPOINTS = Array.from({ length: COUNT }, (_, index) => ({
  name: `job-${index}`,
  command: 'true',
  schedule: '* * * * *',
}));

interface Recorded {
  readonly endpoint: string;
  readonly status: string;
  readonly reason?: string;
  readonly scheduled_for: string;
}

describe.skipIf(postgresMissing !== undefined)('two hubs', () => {
  let server: PostgresServer;
  let one: HubWorld;
  let other: HubWorld;
  beforeAll(async () => {
    server = await startPostgres({ syncs: false });
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);
  beforeEach(async () => {
    const env = { DATABASE_URL: await server.createDatabase(), SVC_MASTER_KEY: '7'.repeat(64) };
    one = await hubWorld({ env });
    other = await hubWorld({ env, index: 1 });
  });
  afterEach(async () => {
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  /** Until every schedule has a record of this minute. */
  async function untilFired(world: HubWorld, minutes: number): Promise<Recorded[]> {
    for (;;) {
      const response = await world.manage('/executions?limit=100');
      const { items } = (await response.json()) as { items: Recorded[] };
      if (items.filter(({ status }) => status !== 'queued').length >= COUNT * minutes) return items;
      await pollPause();
    }
  }

  const moveBoth = (byMs: number) => {
    for (const { clock } of [one, other]) clock.move(byMs);
  };

  const fires = (all: readonly Recorded[]) =>
    all.map(({ endpoint, scheduled_for }) => `${endpoint} ${scheduled_for}`);

  test('whose agents are one pool: each fire starts once, at one of them', async () => {
    await using here = await one.agent({ endpoints: ENDPOINTS });
    await using there = await other.agent({ endpoints: ENDPOINTS, instance: SECOND });
    moveBoth(MINUTE_MS);
    await untilFired(one, 1);
    moveBoth(MINUTE_MS);
    const all = await untilFired(other, 2);
    expect(new Set(fires(all)).size).toBe(2 * COUNT);
    expect(all.map(({ status }) => status)).toEqual(Array(2 * COUNT).fill('running'));
    // The record exists before the frame arrives.
    while (here.unread('run') + there.unread('run') < 2 * COUNT) await pollPause();
    expect(here.unread('run') + there.unread('run')).toBe(2 * COUNT);
  });

  test('of which one has the agent: that one fires, though the other comes first', async () => {
    await using agent = await other.agent({ endpoints: ENDPOINTS });
    one.clock.move(MINUTE_MS);
    await one.clock.untilTimer(LEFT_MS, WITH_GRACE_PERIODS);
    other.clock.move(MINUTE_MS);
    const all = await untilFired(one, 1);
    expect(all.map(({ status }) => status)).toEqual(Array(COUNT).fill('running'));
    while (agent.unread('run') < COUNT) await pollPause();
    expect(agent.unread('run')).toBe(COUNT);
  });

  test('of which none has the agent: it is missed once, and an agent that comes meanwhile gets none of it', async () => {
    await (await one.agent({ endpoints: ENDPOINTS })).vanish();
    moveBoth(MINUTE_MS);
    await one.clock.untilTimer(LEFT_MS, WITH_GRACE_PERIODS);
    await other.clock.untilTimer(LEFT_MS, WITH_GRACE_PERIODS);
    await using late = await other.agent({ endpoints: ENDPOINTS });
    moveBoth(LEFT_MS);
    const all = await untilFired(one, 1);
    expect(new Set(fires(all)).size).toBe(COUNT);
    expect(all).toEqual(all.map((one) => ({ ...one, status: 'missed', reason: 'agent_offline' })));
    expect(late.unread('run')).toBe(0);
  });
});
