// Many who want the same at the same moment, at three hubs: one of them gets it (decisions 23, 36 and 37).
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { HubWorld } from '../hub-world.ts';
import { type NatsServer, natsMissing, startNats } from '../nats.ts';
import { makePipeline, postOf } from '../pipelines.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { until } from '../until.ts';
import { fromGitHub } from '../webhooks.ts';
import { cluster } from './hubs.ts';

setDefaultTimeout(300_000);

const MINUTE_MS = 60_000;
const TICKS = 20;
const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'guarded', command: 'true', approval_required: true },
  ...Array.from({ length: TICKS }, (_, n) => ({ name: `tick-${n}`, command: 'true', schedule: '* * * * *' })),
];
const APPROVERS = 200;
const DELIVERIES = 60;
const SECRET = 'of the hook';

describe.skipIf((postgresMissing ?? natsMissing) !== undefined)('at three hubs', () => {
  let postgres: PostgresServer;
  let nats: NatsServer;
  let worlds: HubWorld[];
  const agents: ScriptedAgent[] = [];
  beforeAll(async () => {
    [postgres, nats] = await Promise.all([startPostgres({ syncs: false }), startNats()]);
    worlds = await cluster(3, { postgres, nats });
    for (const world of worlds)
      agents.push(await world.agent({ endpoints: ENDPOINTS, instance: crypto.randomUUID() }));
  }, 120_000);
  afterAll(async () => {
    for (const agent of agents) await agent[Symbol.asyncDispose]();
    for (const world of worlds) await world[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
    await postgres[Symbol.asyncDispose]();
  }, 60_000);

  const worldOf = (n: number) => worlds[n % worlds.length] as HubWorld;
  const unread = () => agents.reduce((sum, agent) => sum + agent.unread('run'), 0);
  const recorded = async () => {
    const { items } = (await (await worldOf(0).manage('/executions?limit=100')).json()) as {
      items: { execution_id: string; endpoint: string; status: string; scheduled_for?: string }[];
    };
    return items;
  };

  test(`one of ${APPROVERS} people who decide at once succeeds: the others get the name, and the call runs once`, async () => {
    const call = await worldOf(0).call('guarded');
    const { approval_id: id } = (await call.json()) as { approval_id: string };
    const outcomes = await Promise.all(
      Array.from({ length: APPROVERS }, async (_, n) => {
        const decision = n % 3 === 0 ? 'deny' : 'approve';
        const { status } = await worldOf(n).manage(`/approvals/${id}/decide`, postOf({ decision }));
        return { decision, status };
      }),
    );
    const winners = outcomes.filter(({ status }) => status === 200);
    expect(outcomes.filter(({ status }) => status === 409)).toHaveLength(APPROVERS - 1);
    const [winner] = winners;
    const executionId = call.headers.get('x-execution-id');
    const isApproved = winner?.decision === 'approve';
    await until(async () => unread() === (isApproved ? 1 : 0));
    const record = (await recorded()).find(({ execution_id }) => execution_id === executionId);
    expect(record?.status).toBe(isApproved ? 'running' : 'denied');
    for (const agent of agents)
      if (agent.unread('run') > 0) agent.end((await agent.receive('run')).execution_id, 0);
  });

  test(`${DELIVERIES} deliveries of one event start one run`, async () => {
    const schema = [{ name: 'ref', type: 'string', required: true }];
    await makePipeline(worldOf(0), {
      slug: 'hook',
      trigger: { type: 'webhook', secret: SECRET, public: true, input_schema: schema },
      nodes: [{ id: 'only', endpoint: 'job' }],
    });
    // It does not start an execution that a hub does not have yet.
    await until(async () => {
      const known = worlds.map(async (world) => (await world.manage('/pipelines/hook')).status === 200);
      return (await Promise.all(known)).every(Boolean);
    });
    const body = JSON.stringify({ ref: 'refs/heads/main' });
    const delivery = crypto.randomUUID();
    const answers = await Promise.all(
      Array.from({ length: DELIVERIES }, async (_, n) => {
        const response = await fetch(worldOf(n).urlOf('hook'), fromGitHub(SECRET, body, { delivery }));
        const { run_id: runId } = (await response.json()) as { run_id?: string };
        return `${response.status} ${runId}`;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toStartWith('202 ');
    await until(async () => unread() === 1);
    const steps = (await recorded()).filter(({ endpoint }) => endpoint === 'job');
    expect(steps).toHaveLength(1);
    for (const agent of agents)
      if (agent.unread('run') > 0) agent.end((await agent.receive('run')).execution_id, 0);
  });

  test(`the minute of ${TICKS} schedules begins: each fires once`, async () => {
    for (const { clock } of worlds) clock.move(MINUTE_MS);
    const fires = async () => (await recorded()).filter(({ scheduled_for: at }) => at !== undefined);
    await until(async () => (await fires()).filter(({ status }) => status === 'running').length === TICKS);
    expect(new Set((await fires()).map(({ endpoint, scheduled_for: at }) => `${endpoint} ${at}`)).size).toBe(
      TICKS,
    );
    await until(async () => unread() >= TICKS);
    expect([unread(), (await fires()).length]).toEqual([TICKS, TICKS]);
  });
});
