// Hosts of the hosted runner that come, go, lie and die, and who may be one: decisions 24, 28, 30 and 49.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { CLOSE_CODES } from '@svc/core/protocol/close-code';
import { figure } from '../cluster/hubs.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type Person, signIn } from '../people.ts';
import { makePipeline } from '../pipelines.ts';
import { type PostgresServer, postgresMissing, startPostgres } from '../postgres.ts';
import { hello, ScriptedAgent } from '../scripted-agent.ts';
import { pollPause } from '../until.ts';

const RECONNECT_GRACE_MS = 120_000;
const ASYNC = { headers: { prefer: 'respond-async' } };
const INSTANCE = '33333333-3333-4333-8333-333333333333';

let world: HubWorld;
let owner: Person;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'pro', SVC_RATE_LIMITS: 'off' } });
  owner = await signIn(world, 'operator@localhost');
  await owner.ask('POST', '/endpoints', { body: { slug: 'cloud', command: 'true', agent_name: 'hosted' } });
});
afterEach(() => world[Symbol.asyncDispose]());

const get = async (path: string) => (await owner.ask('GET', path)).body;
const runningNow = async () => ((await get('/hosted/usage')).concurrent as { running: number }).running;
const statusOf = async (id: string) => (await get(`/executions/${id}`)).status;
const newToken = () => world.admin((admin) => admin.makeRunnerToken('rack 3'));

/** Begins executions without a waiting caller. */
async function begin(host: ScriptedAgent, count = 1): Promise<string[]> {
  for (let n = 0; n < count; n += 1) await world.call('cloud', ASYNC);
  const ids: string[] = [];
  while (ids.length < count) ids.push((await host.receive('run')).execution_id);
  return ids;
}

/** How a connection ends that says this hello. */
async function closingOf(token: string, more: Partial<ReturnType<typeof hello>> | object): Promise<number> {
  const agent = await ScriptedAgent.dial({ hubUrl: world.hub.hubUrl, token });
  agent.say({ ...hello({ endpoints: [], instance: INSTANCE }), ...more } as ReturnType<typeof hello>);
  return await agent.closed;
}

const RUNNER = { engine: 'script', capacity: 3, volumes: [] };

describe('a host needs a runner token', () => {
  test('no agent takes the name hosted, and none can be bound to it', async () => {
    const bound = await owner.ask('POST', '/agent-tokens', { body: { name: 'mine', agent_name: 'hosted' } });
    expect(bound.status).toBe(400);
    const { agentToken } = world.start;
    expect(await closingOf(agentToken, { agent: 'hosted' })).toBe(CLOSE_CODES.name_refused);
    expect(await closingOf(agentToken, { agent: 'hosted', runner: RUNNER })).toBe(CLOSE_CODES.name_refused);
    expect(await closingOf(agentToken, { runner: RUNNER })).toBe(CLOSE_CODES.name_refused);
    expect((await world.call('cloud')).status).toBe(502);
  });

  test('a runner token is for hosts alone: it is no agent of any workspace, and registers nothing', async () => {
    const { token } = await newToken();
    expect(await closingOf(token, { agent: 'default' })).toBe(CLOSE_CODES.name_refused);
    expect(await closingOf(token, { agent: 'hosted' })).toBe(CLOSE_CODES.name_refused);
    expect(await closingOf(token, { agent: 'default', runner: RUNNER })).toBe(CLOSE_CODES.name_refused);
    await using host = await world.host({ token, endpoints: [{ name: 'planted', command: 'true' }] });
    expect(host.welcome.registered).toEqual([]);
    expect((await world.call('planted')).status).toBe(404);
    expect(((await get('/agents')).items as unknown[]).length).toBe(0);
  });

  test('a revoked token is refused, and its connections are closed within a heartbeat', async () => {
    const { token, id } = await newToken();
    await using host = await world.host({ token });
    await using other = await world.host();
    await world.admin((admin) => admin.revokeRunnerToken(id));
    await world.clock.heartbeat(1);
    expect(await host.closed).toBe(CLOSE_CODES.unauthorized);
    expect(await begin(other)).toHaveLength(1);
    const again = ScriptedAgent.dial({ hubUrl: world.hub.hubUrl, token });
    expect(await again.catch((error: Error) => error.message)).toContain('refused');
    const listed = await world.admin((admin) => admin.runnerTokens());
    expect(
      listed.map(({ name, hosts, revokedAtMs }) => [name, hosts.length, revokedAtMs === undefined]),
    ).toEqual([
      ['rack 3', 1, false],
      ['host', 1, true],
    ]);
  });

  test('a client with another runner token cannot be a host that the first token has bound', async () => {
    await using host = await world.host({ instance: INSTANCE });
    const [id] = await begin(host);
    const { token } = await newToken();
    const inFlight = [{ execution_id: id, last_seq: 3, ended: true }];
    const stolen = { agent: 'hosted', runner: RUNNER, in_flight: inFlight };
    expect(await closingOf(token, stolen)).toBe(CLOSE_CODES.name_refused);
    host.output(id ?? '', 1, 'mine\n');
    host.end(id ?? '', 1);
    await host.receive('ended_ack');
    expect(await statusOf(id ?? '')).toBe('succeeded');
  });
});

test('a host can touch nothing that was not given to it, of whatever workspace', async () => {
  await using honest = await world.host();
  const [id = ''] = await begin(honest);
  await using agent = await world.agent({ endpoints: [{ name: 'own', command: 'true' }] });
  const own = world.call('own');
  const { execution_id: ownId } = await agent.receive('run');
  const inFlight = [id, ownId].map((execution_id) => ({ execution_id, last_seq: 9, ended: true }));
  await using liar = await world.host({ inFlight });
  expect(liar.welcome).toMatchObject({ resume: [], unknown: [id, ownId] });
  for (const one of [id, ownId]) {
    liar.output(one, 1, 'forged\n');
    liar.end(one, 1);
    liar.end(one, 0, { kind: 'lost', message: 'forged' });
    await liar.receive('ended_ack');
    await liar.receive('ended_ack');
  }
  expect([await statusOf(id), await statusOf(ownId)]).toEqual(['running', 'running']);
  agent.output(ownId, 1, 'true words\n');
  agent.end(ownId, 1);
  expect(await (await own).json()).toMatchObject({ output: 'true words\n', exit_code: 0 });
  // Nor can an agent of a workspace touch what a host runs, with its instance and name.
  await using copy = await world.agent({ endpoints: [], name: 'other', inFlight: inFlight.slice(0, 1) });
  expect(copy.welcome.unknown).toEqual([id]);
  copy.end(id, 0);
  await copy.receive('ended_ack');
  expect(await statusOf(id)).toBe('running');
});

test('a host that dies gives its places back, and proves what became of its executions when it returns', async () => {
  const { token } = await newToken();
  const host = await world.host({ token, instance: INSTANCE });
  const ids = await begin(host, 5);
  await host.vanish();
  await using other = await world.host();
  const waiting = world.call('cloud');
  waiting.catch(() => undefined);
  // The call is in the queue, so its time passes with that of the host.
  while ((await figure(world, 'svc_hosted_waiting')) !== 1) await pollPause();
  expect(await runningNow()).toBe(5);
  await world.clock.untilTimer(RECONNECT_GRACE_MS);
  world.clock.move(RECONNECT_GRACE_MS);
  while ((await runningNow()) > 0) await pollPause();
  expect(await Promise.all(ids.map(statusOf))).toEqual(Array(5).fill('lost'));
  expect(await begin(other, 5)).toHaveLength(5);
  const inFlight = ids.slice(0, 1).map((execution_id) => ({ execution_id, last_seq: 1, ended: true }));
  await using back = await world.host({ token, instance: INSTANCE, inFlight });
  expect(back.welcome.resume.map(({ execution_id }) => execution_id)).toEqual(ids.slice(0, 1));
  back.output(ids[0] ?? '', 1, 'late\n');
  back.end(ids[0] ?? '', 1);
  await back.receive('ended_ack');
  expect(await get(`/executions/${ids[0]}`)).toMatchObject({ status: 'succeeded', late: true });
  expect(await runningNow()).toBe(5);
});

test('a restarted hub counts running executions, and continues queued ones', async () => {
  const { token } = await newToken();
  const host = await world.host({ token, instance: INSTANCE });
  const ids = await begin(host, 5);
  const queued = (await (await world.call('cloud', ASYNC)).json()) as { execution_id: string };
  await world.restart();
  const inFlight = ids.map((execution_id) => ({ execution_id, last_seq: 0, ended: false }));
  await using back = await world.host({ token, instance: INSTANCE, inFlight });
  expect(back.welcome.resume).toHaveLength(5);
  expect([await runningNow(), await statusOf(queued.execution_id)]).toEqual([5, 'queued']);
  expect(back.unread('run')).toBe(0);
  back.end(ids[0] ?? '', 0);
  expect((await back.receive('run')).execution_id).toBe(queued.execution_id);
});

describe('a pipeline run', () => {
  const step = (id: string, more: object = {}) => ({ id, endpoint: 'cloud', ...more });
  const start = async () => {
    const answer = await world.call('ship', { method: 'POST', ...ASYNC });
    return ((await answer.json()) as { run_id: string }).run_id;
  };
  beforeEach(async () => {
    const nodes = [step('one'), step('two', { needs: ['one'] })];
    await makePipeline(world, { slug: 'ship', trigger: { type: 'manual' }, nodes });
  });

  test('keeps to the host of its first step, which learns when the run has ended', async () => {
    await using first = await world.host({ runner: { capacity: 10 } });
    const runId = await start();
    const one = await first.receive('run');
    expect(one.hosted).toMatchObject({ run_id: runId });
    // The other one has less to do from now on.
    await begin(first);
    await using second = await world.host({ runner: { capacity: 100 } });
    first.end(one.execution_id, 0);
    const two = await first.receive('run');
    expect(two.hosted?.run_id).toBe(runId);
    expect(second.unread('run')).toBe(0);
    first.end(two.execution_id, 0);
    while ((await get(`/pipeline-runs/${runId}`)).status !== 'succeeded') await pollPause();
    await world.clock.heartbeat(1);
    expect(await first.receive('run_ended')).toEqual({ type: 'run_ended', run_id: runId });
  });

  test('whose host is gone fails with that reason, though there are other hosts; the host learns of it when it is back', async () => {
    const { token } = await newToken();
    const first = await world.host({ token, instance: INSTANCE });
    const runId = await start();
    const { execution_id: id } = await first.receive('run');
    first.end(id, 0);
    const { execution_id: second } = await first.receive('run');
    await first.vanish();
    await using other = await world.host();
    await world.clock.untilTimer(RECONNECT_GRACE_MS);
    world.clock.move(RECONNECT_GRACE_MS);
    while ((await get(`/pipeline-runs/${runId}`)).status !== 'failed') await pollPause();
    expect(await statusOf(second)).toBe('lost');
    expect(other.unread('run')).toBe(0);
    const volumes = [runId, crypto.randomUUID()];
    await using back = await world.host({ token, instance: INSTANCE, runner: { volumes } });
    expect(back.welcome.ended_runs).toEqual(volumes);
  });

  test('whose host stopped between two steps waits for it, and fails when it does not come back', async () => {
    const first = await world.host({ runner: { capacity: 1 } });
    const runId = await start();
    const one = await first.receive('run');
    // It stops: nothing more is given to it.
    first.say({ type: 'leaving' });
    first.end(one.execution_id, 0);
    await first.receive('ended_ack');
    await first.vanish();
    await using other = await world.host();
    // The next step waits by then, for as long as its host may be away.
    while ((await figure(world, 'svc_hosted_waiting')) !== 1) await pollPause();
    await world.clock.untilTimer(RECONNECT_GRACE_MS, 2);
    world.clock.move(RECONNECT_GRACE_MS);
    while ((await get(`/pipeline-runs/${runId}`)).status !== 'failed') await pollPause();
    expect(other.unread('run')).toBe(0);
    const { items } = (await get('/executions')) as unknown as { items: { error?: string }[] };
    expect(items[0]?.error).toContain('the host that has the files of this pipeline run');
  });
});

describe.skipIf(postgresMissing !== undefined)('two hubs', () => {
  let server: PostgresServer;
  let env: Record<string, string>;
  beforeEach(async () => {
    server = await startPostgres({ syncs: false });
    env = { DATABASE_URL: await server.createDatabase(), SVC_MASTER_KEY: '7'.repeat(64) };
    Object.assign(env, { SVC_DEFAULT_PLAN: 'pro', SVC_RATE_LIMITS: 'off' });
  }, 60_000);
  afterEach(() => server[Symbol.asyncDispose](), 60_000);

  test('share the places of a workspace: of 100 calls at once five run at a time, and each runs once', async () => {
    await using one = await hubWorld({ env });
    await using other = await hubWorld({ env });
    const person = await signIn(one, 'operator@localhost');
    await person.ask('POST', '/endpoints', {
      body: { slug: 'cloud', command: 'true', agent_name: 'hosted' },
    });
    await using here = await one.host();
    await using there = await other.host();
    const seen = new Set<string>();
    let most = 0;
    const serve = async (host: ScriptedAgent) => {
      for (;;) {
        const { execution_id: id } = await host.receive('run');
        seen.add(id);
        const { concurrent } = (await person.ask('GET', '/hosted/usage')).body;
        most = Math.max(most, (concurrent as { running: number }).running);
        host.end(id, 0);
      }
    };
    const served = Promise.allSettled([serve(here), serve(there)]);
    const calls = Array.from({ length: 100 }, (_, n) => (n % 2 ? one : other).call('cloud'));
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(100).fill(200));
    expect([seen.size, most <= 5]).toEqual([100, true]);
    expect((await person.ask('GET', '/hosted/usage')).body).toMatchObject({
      used: 100,
      concurrent: { running: 0 },
    });
    await here.vanish();
    await there.vanish();
    await served;
  });
});
