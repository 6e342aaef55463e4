// Hubs that share a PostgreSQL: executions of a dead hub continue at another, each at one of them (decision 24, states and
// takeover).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { SQL } from 'bun';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { pollPause } from '../until.ts';

const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'guarded', command: 'true', approval_required: true },
];

describe.skipIf(postgresMissing !== undefined)('two hubs', () => {
  let server: PostgresServer;
  let one: HubWorld;
  let other: HubWorld;
  let agent: ScriptedAgent;
  let databaseUrl: string;
  beforeAll(async () => {
    server = await startPostgres({ syncs: false });
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose](), 60_000);
  beforeEach(async () => {
    databaseUrl = await server.createDatabase();
    const env = { DATABASE_URL: databaseUrl, SVC_MASTER_KEY: '7'.repeat(64) };
    one = await hubWorld({ env });
    other = await hubWorld({ env, index: 1 });
    agent = await one.agent({ endpoints: ENDPOINTS });
  });
  afterEach(async () => {
    await one[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  async function started(): Promise<string> {
    await one.call('job', { headers: { prefer: 'respond-async' } });
    return (await agent.receive('run')).execution_id;
  }

  async function execution(id: string) {
    return (await (await other.manage(`/executions/${id}`)).json()) as Record<string, unknown>;
  }

  /** Time passes for one hub while the other stands still, as if it were dead. */
  const heartbeats = ({ clock }: HubWorld, count: number) => clock.heartbeat(count);

  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) await pollPause();
  }

  const inFlight = (id: string, lastSeq: number) => [{ execution_id: id, last_seq: lastSeq, ended: false }];

  test('an agent that moves keeps its executions, and the hub that it left decides nothing any more', async () => {
    const id = await started();
    agent.output(id, 1, 'a\n');
    await agent.receive('ack', ({ seq }) => seq === 1);
    const follower = await one.manage(`/executions/${id}/stream`);
    await agent.vanish();
    await one.untilNoAgent();
    const moved = await other.agent({ endpoints: ENDPOINTS, inFlight: inFlight(id, 2) });
    expect(moved.welcome).toMatchObject({ resume: [{ execution_id: id, stored_seq: 1 }], unknown: [] });
    // After 120 s without it the first hub would call it lost.
    one.clock.move(120_001);
    await until(() => one.hub.running() === 0);
    expect(await execution(id)).toMatchObject({ status: 'running' });
    moved.output(id, 2, 'b\n');
    moved.end(id, 2);
    await moved.receive('ended_ack');
    // The first hub gets no frame: a reader that follows the execution there gets it from the record.
    let rest: string | undefined;
    void follower.text().then((text) => (rest = text));
    await until(() => {
      one.clock.move(1_000);
      return rest !== undefined;
    });
    expect(rest).toMatch(/"data":"a".*"data":"b".*"done"/s);
    const { status, output, late } = await execution(id);
    expect([status, output, late]).toEqual(['succeeded', 'a\nb\n', undefined]);
  });

  test('executions that a dead hub had not dispatched are dispatched by another, and running ones continue', async () => {
    const id = await started();
    const running = await started();
    await agent.vanish();
    const moved = await other.agent({ endpoints: ENDPOINTS, inFlight: inFlight(running, 0) });
    await heartbeats(other, 2);
    expect([moved.unread('move'), moved.unread('run')]).toEqual([0, 0]);
    await heartbeats(other, 2);
    // To know what the agent has of it, the hub has it say hello again.
    await moved.receive('move');
    await moved.vanish();
    const back = await other.agent({ endpoints: ENDPOINTS, inFlight: inFlight(running, 0) });
    expect(await back.receive('run')).toMatchObject({ execution_id: id });
    for (const each of [id, running]) {
      back.end(each, 0);
      await back.receive('ended_ack', ({ execution_id }) => execution_id === each);
      expect(await execution(each)).toMatchObject({ status: 'succeeded' });
    }
    expect(back.unread('run')).toBe(0);
  });

  test('a hub with heartbeats keeps its executions, however long', async () => {
    const id = await started();
    for (let round = 0; round < 8; round += 1) {
      await heartbeats(one, 1);
      await heartbeats(other, 1);
    }
    agent.end(id, 0);
    await agent.receive('ended_ack');
    expect([await execution(id), one.hub.running(), other.hub.running()]).toEqual([
      expect.objectContaining({ status: 'succeeded' }),
      0,
      0,
    ]);
  });

  test('executions of a hub that stopped properly are taken over with the next heartbeat', async () => {
    const id = await started();
    await one.hub.stop({ graceMs: 0 });
    await heartbeats(other, 1);
    await until(() => other.hub.running() === 1);
    const moved = await other.agent({ endpoints: ENDPOINTS, inFlight: inFlight(id, 0) });
    moved.end(id, 0);
    await moved.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'succeeded' });
  });

  const cancelAtOther = async (id: string) =>
    expect((await other.manage(`/executions/${id}/cancel`, { method: 'POST' })).ok).toBe(true);

  test('a cancel at another hub reaches the agent with the next heartbeat of its hub, once', async () => {
    const [id, running] = [await started(), await started()];
    await cancelAtOther(id);
    expect(agent.unread('cancel')).toBe(0);
    await heartbeats(one, 2);
    expect(await agent.receive('cancel')).toMatchObject({ execution_id: id });
    await agent.untilTaken();
    expect(agent.unread('cancel')).toBe(0);
    agent.end(id, 0, { kind: 'cancelled', duration_ms: 1 });
    agent.end(running, 0);
    await agent.receive('ended_ack', ({ execution_id }) => execution_id === running);
    expect([await execution(id), await execution(running)]).toMatchObject([
      { status: 'cancelled' },
      { status: 'succeeded' },
    ]);
  });

  test('an order that its agent never received is not sent again after a cancel at another hub', async () => {
    const id = await started();
    await agent.vanish();
    await cancelAtOther(id);
    await using back = await one.agent({ endpoints: ENDPOINTS });
    await until(async () => (await execution(id)).status !== 'running');
    expect(await execution(id)).toMatchObject({ status: 'cancelled' });
    await back.untilTaken();
    expect(back.unread('run')).toBe(0);
  });

  test('the removal of a workspace goes on when a host has taken its execution to another hub', async () => {
    const { token } = await one.admin((admin) => admin.makeRunnerToken('host'));
    const instance = crypto.randomUUID();
    await using host = await one.host({ token, instance });
    const post = (path: string, body: object) =>
      one.manage(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await post('/endpoints', { slug: 'cloud', command: 'true', agent_name: 'hosted' });
    await one.call('cloud', { headers: { prefer: 'respond-async' } });
    const { execution_id: id } = await host.receive('run');
    expect((await post('/workspace/deletion', { username: one.start.username })).status).toBe(204);
    await host.receive('cancel');
    await host.vanish();
    await using moved = await other.host({ token, instance, inFlight: inFlight(id, 0) });
    expect(moved.welcome.resume).toMatchObject([{ execution_id: id }]);
    // The first hub waits no longer than 10 s, and finds that it may not end what another hub has.
    one.clock.move(10_000);
    expect(await agent.closed).toBe(4401);
    moved.end(id, 0, { kind: 'cancelled', duration_ms: 1 });
    await moved.receive('ended_ack');
    await one.clock.settled();
    await heartbeats(one, 1);
    await using sql = new SQL(databaseUrl, { max: 1 });
    expect(await sql`select id from executions`.values()).toEqual([]);
  });

  test('a call that is approved at one hub runs at the other that has its agent, once', async () => {
    const call = await one.call('guarded');
    const { approval_id: id } = (await call.json()) as { approval_id: string };
    const decided = await other.manage(`/approvals/${id}/decide`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"decision":"approve"}',
    });
    expect(decided.status).toBe(200);
    // Both store a heartbeat; the hub of the agent polls.
    await heartbeats(other, 1);
    await heartbeats(one, 1);
    expect((await agent.receive('run')).execution_id).toBe(call.headers.get('x-execution-id') ?? '');
    const back = await other.agent({ endpoints: ENDPOINTS, instance: crypto.randomUUID() });
    await heartbeats(other, 1);
    expect([agent.unread('run'), back.unread('run')]).toEqual([0, 0]);
  });
});
