// Hubs that share a PostgreSQL, one of which is taken for dead and is not: decision 24, states and takeover.
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test';
import { HUB_LEASE_MS } from '@svc/core/execution/recovery';
import { openLedger } from '../cluster/ledger.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { pollPause } from '../until.ts';

setDefaultTimeout(300_000);

const ENDPOINTS = [{ name: 'job', command: 'true' }];
const ASYNC = { headers: { prefer: 'respond-async' } };
/** Shorter than a heartbeat: no poll of a hub is left out. */
const STEP_MS = 1_000;

describe.skipIf(postgresMissing !== undefined)('two hubs', () => {
  let server: PostgresServer;
  let url: string;
  let one: HubWorld;
  let other: HubWorld;
  let agent: ScriptedAgent;
  beforeAll(async () => {
    server = await startPostgres({ syncs: false });
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);
  beforeEach(async () => {
    url = await server.createDatabase();
    const env = { DATABASE_URL: url, SVC_MASTER_KEY: '7'.repeat(64) };
    one = await hubWorld({ env });
    other = await hubWorld({ env, index: 1 });
    agent = await one.agent({ endpoints: ENDPOINTS });
  });
  afterEach(async () => {
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  async function started(): Promise<string> {
    await one.call('job', ASYNC);
    return (await agent.receive('run')).execution_id;
  }

  /** Time passes for the other hub, alone or not, no faster than the database answers; the answer is how much. */
  async function passUntil(isSo: () => boolean, ...forOthers: HubWorld[]): Promise<number> {
    const fromMs = other.clock.nowMs();
    while (!isSo()) {
      for (const { clock } of [other, ...forOthers]) {
        clock.move(STEP_MS);
        await clock.settled();
      }
      await using ledger = await openLedger({ databaseUrl: url });
      await ledger.rows('select 1');
    }
    return other.clock.nowMs() - fromMs;
  }

  test('executions that end at the hub that was declared dead are not dispatched again by the other', async () => {
    const id = await started();
    await passUntil(() => other.hub.running() === 1);
    agent.output(id, 1, 'once\n');
    agent.end(id, 1);
    await agent.receive('ended_ack');
    await agent.vanish();
    // Its journal has forgotten what is on record.
    const moved = await other.agent({ endpoints: ENDPOINTS });
    expect(moved.welcome).toMatchObject({ resume: [], unknown: [] });
    // Frames that were sent before this one would have arrived by now.
    const next = await other.call('job', ASYNC);
    expect((await moved.receive('run')).execution_id).toBe(next.headers.get('x-execution-id') ?? '');
    await passUntil(() => other.hub.running() === 1);
    expect(await (await other.manage(`/executions/${id}`)).json()).toMatchObject({
      status: 'succeeded',
      output: 'once\n',
    });
  });

  test('executions of a hub that was thought dead are its own again after its heartbeat', async () => {
    const id = await started();
    agent.output(id, 1, 'a\n');
    await agent.receive('ack', ({ seq }) => seq === 1);
    const owner = async () => {
      await using ledger = await openLedger({ databaseUrl: url });
      const [row] = await ledger.rows<{ hub_id: string }>(`select hub_id from executions where id = '${id}'`);
      return row?.hub_id;
    };
    const first = await owner();
    await passUntil(() => other.hub.running() === 1);
    expect(await owner()).not.toBe(first);
    one.clock.standStill(HUB_LEASE_MS);
    while ((await owner()) !== first);
    // Its agent never was at the other hub, which would call it lost by now.
    await passUntil(() => other.hub.running() === 0, one);
    expect(await (await other.manage(`/executions/${id}`)).json()).toMatchObject({ status: 'running' });
    agent.output(id, 2, 'b\n');
    agent.end(id, 2);
    await agent.receive('ended_ack');
    const { status, output, late } = (await (await other.manage(`/executions/${id}`)).json()) as Record<
      string,
      unknown
    >;
    expect([status, output, late]).toEqual(['succeeded', 'a\nb\n', undefined]);
  });

  test('whose database was unavailable get a whole lease again', async () => {
    await started();
    let heartbeats = 0;
    await passUntil(() => ++heartbeats > HUB_LEASE_MS / STEP_MS - 3);
    await server.crash();
    other.clock.move(HUB_LEASE_MS);
    while (!other.logLines.some((line) => line.includes('housekeeping is tried again'))) await pollPause();
    await server.start();
    expect(await passUntil(() => other.hub.running() === 1)).toBeGreaterThanOrEqual(HUB_LEASE_MS);
  });
});
