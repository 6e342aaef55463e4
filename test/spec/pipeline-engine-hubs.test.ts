// Runs of hubs that share a PostgreSQL: one hub advances each run, and another continues it after a takeover (decision 24,
// states and takeover, and decision 41, pipeline runs).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { eventsOf, makePipeline, postOf, showRun, type WholeRun } from '../pipelines.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'guarded', command: 'true', approval_required: true },
];
const job = (id: string, more: object = {}) => ({ id, endpoint: 'job', ...more });

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

  async function begin(nodes: readonly object[]): Promise<string> {
    await makePipeline(one, { slug: 'run', trigger: { type: 'manual' }, nodes });
    const response = await one.manage('/pipeline-runs', postOf({ pipeline: 'run' }));
    return ((await response.json()) as { run_id: string }).run_id;
  }

  async function ended(world: HubWorld, id: string): Promise<WholeRun> {
    await eventsOf(await world.manage(`/pipeline-runs/${id}/stream`));
    return await showRun(world, id);
  }

  /** The step is on record: only then can the other hub find it at its heartbeat. */
  async function ordered(node: number, id: string): Promise<void> {
    while ((await showRun(one, id)).nodes[node]?.attempts.length === 0);
  }

  /** Time passes for one hub while the other stands still, as if it were dead. */
  const heartbeats = ({ clock }: HubWorld, count: number) => clock.heartbeat(count);

  async function play(agent: ScriptedAgent, step: string): Promise<void> {
    const { execution_id } = await agent.receive('run', (frame) => frame.step === step);
    agent.end(execution_id, 0);
  }

  test('of which one has the run and the other the agent bring it to its end', async () => {
    await using there = await other.agent({ endpoints: ENDPOINTS });
    const id = await begin([job('first'), job('second', { needs: ['first'] })]);
    await ordered(0, id);
    await heartbeats(other, 1);
    await play(there, 'first');
    const run = showRun(one, id);
    await ordered(1, id);
    await heartbeats(other, 1);
    await play(there, 'second');
    expect((await run).run_id).toBe(id);
    expect((await ended(one, id)).status).toBe('succeeded');
    expect((await ended(other, id)).status).toBe('succeeded');
  });

  test('share decisions: what is approved and cancelled at the other is so at the one that has the run', async () => {
    await using here = await one.agent({ endpoints: ENDPOINTS });
    const id = await begin([{ id: 'ask', endpoint: 'guarded' }, job('long', { needs: ['ask'] })]);
    let approval: string | undefined;
    while (approval === undefined) approval = (await showRun(other, id)).nodes[0]?.attempts[0]?.approval_id;
    const decided = await other.manage(`/approvals/${approval}/decide`, postOf({ decision: 'approve' }));
    expect(decided.ok).toBe(true);
    await heartbeats(one, 1);
    await play(here, 'ask');
    const { execution_id } = await here.receive('run', ({ step }) => step === 'long');
    expect((await other.manage(`/pipeline-runs/${id}/cancel`, { method: 'POST' })).ok).toBe(true);
    await here.receive('cancel');
    here.end(execution_id, 0, { kind: 'cancelled', duration_ms: 1 });
    expect((await ended(other, id)).status).toBe('cancelled');
  });

  test('do not both advance it: a hub that was thought dead changes nothing when it is back', async () => {
    await using first = await one.agent({ endpoints: ENDPOINTS });
    const id = await begin([
      job('first'),
      job('second', { needs: ['first'] }),
      job('third', { needs: ['second'] }),
    ]);
    const { execution_id } = await first.receive('run', ({ step }) => step === 'first');
    await first.vanish();
    await heartbeats(other, 4);
    const inFlight = [{ execution_id, last_seq: 0, ended: true }];
    await using agent = await other.agent({ endpoints: ENDPOINTS, inFlight });
    agent.end(execution_id, 0);
    await play(agent, 'second');
    // The hub is alive after all, and polls the runs that it takes for its own.
    await heartbeats(one, 1);
    await play(agent, 'third');
    const run = await ended(other, id);
    expect([run.status, run.nodes.map(({ attempts }) => attempts.length)]).toEqual(['succeeded', [1, 1, 1]]);
    expect(agent.unread('run')).toBe(0);
  });
});
