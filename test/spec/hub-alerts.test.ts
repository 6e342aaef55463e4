// Alerts through a whole hub: rules by its API, events from what happens, real receivers (decision 39, alerts).
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { encodeOutputFrame } from '@svc/core/protocol/output-frame';
import { openAdmin } from '@svc/hub/admin/admin';
import { Receiver } from '@svc/hub/alerts/fixtures/receiver';
import { readHubConfig } from '@svc/hub/config';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { realAgent } from '../real-agent.ts';

setDefaultTimeout(60_000);

const LOCAL = { SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.0/8' };
const FAILED = { kind: 'exited', exit_code: 3, duration_ms: 5 } as const;

let world: HubWorld;
let receiver: Receiver;
beforeEach(async () => {
  world = await hubWorld({ env: LOCAL });
  receiver = new Receiver();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

async function ask(method: string, path: string, body?: object): Promise<{ status: number; body: Json }> {
  const response = await world.manage(path, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text === '' ? '{}' : text) as Json };
}
type Json = { items: Json[]; id: string; secret: string; delivery_id: string; action: string; state: string };

async function rule(events: string[], more: object = {}): Promise<Json> {
  const wanted = { name: 'mine', events, channel: 'webhook', target: receiver.url, ...more };
  const { status, body } = await ask('POST', '/alerts', wanted);
  expect([status, body]).toEqual([201, expect.anything()]);
  return body;
}

const JOB = { name: 'job', command: 'true' };

test('an execution that fails is reported, signed with the secret that was shown once; one that succeeds is not', async () => {
  const { id, secret } = await rule(['execution.failed', 'execution.timed_out']);
  const agent = await world.agent({ endpoints: [JOB] });
  const good = world.call('job');
  await agent.answer('fine\n');
  const bad = world.call('job');
  const executionId = await agent.answer('oh\n', FAILED);
  await Promise.all([good, bad]);
  await receiver.until(1);
  const [{ headers, body } = expect.unreachable()] = receiver.received;
  expect(JSON.parse(body)).toMatchObject({
    type: 'execution.failed',
    version: 1,
    data: {
      execution_id: executionId,
      endpoint: 'job',
      agent: 'default',
      state: 'failed',
      exit_code: 3,
    },
  });
  const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  expect(headers.get('webhook-signature')).toBe(
    `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
  expect(JSON.stringify((await ask('GET', '/alerts')).body)).not.toMatch(/whsec_|key=1/);
  expect((await ask('GET', `/alerts/${id}`)).body).toMatchObject({
    target: `http://127.0.0.1:${receiver.port}/…`,
  });
});

test('an endpoint with a callback URL gets the end of each of its executions', async () => {
  const { secret } = (await ask('POST', '/alerts/callbacks/secret')).body;
  const agent = await world.agent({ endpoints: [{ ...JOB, callback_url: receiver.url }] });
  const calls = [world.call('job'), world.call('job')];
  await agent.answer('fine\n');
  await agent.answer('oh\n', FAILED);
  await Promise.all(calls);
  await receiver.until(2);
  const states = receiver.bodies.map(({ type, data }) => `${type} ${data.state} ${data.exit_code}`);
  expect(states.toSorted()).toEqual(['execution.finished failed 3', 'execution.finished succeeded 0']);
  expect(secret).toStartWith('whsec_');
  expect(receiver.received.every(({ headers }) => headers.has('webhook-signature'))).toBe(true);
});

/** Time goes by in steps that leave the hub, agents and receivers the time to answer. */
async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    world.clock.move(5_000);
    await ask('GET', '/alerts');
  }
}

/** The received alerts, once by id: where the clock runs ahead of an answer, the same alert is sent again. */
function publishedAlerts(): string[] {
  return [
    ...new Map(receiver.received.map(({ headers, body }) => [headers.get('webhook-id'), body])).values(),
  ].map((body) => (JSON.parse(body) as { type: string }).type);
}

test('the alert of an execution links to its page and has the last lines of its output, secrets masked', async () => {
  await rule(['execution.failed']);
  const command = 'seq 1 30; echo "pin $SVC_ARG_PIN"; exit 3';
  await using _agent = await realAgent(world, [
    { name: 'leaks', command, args: [{ name: 'pin', secret: true }] },
  ]);
  const answer = await world.call('leaks', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ pin: 'correct-horse' }),
  });
  const { execution_id: id } = (await answer.json()) as { execution_id: string };
  await receiver.until(1);
  const [{ body } = expect.unreachable()] = receiver.received;
  const { url, data } = JSON.parse(body) as { url: string; data: { last_lines: string[] } };
  expect(url).toBe(`${world.hub.hubUrl}/dashboard/executions/${id}`);
  const numbers = Array.from({ length: 19 }, (_, n) => String(n + 12));
  expect(data.last_lines).toEqual([...numbers, 'pin ***']);
  expect(body).not.toContain('correct-horse');
});

test('output that is no event keeps no alert back', async () => {
  await rule(['execution.failed']);
  const agent = await world.agent({ endpoints: [JOB] });
  const first = world.call('job');
  const { execution_id: id } = await agent.receive('run');
  const bytes = Buffer.from('data: {"type":"output",no}\n\ndata: {"type":"output","data":"b"}\n\n');
  agent.sayRaw(encodeOutputFrame({ kind: 'output', executionId: id, seq: 1, endings: undefined, bytes }));
  agent.end(id, 1, FAILED);
  await first;
  const second = world.call('job');
  await agent.answer('fine\n', FAILED);
  await second;
  await receiver.until(2);
  const lines = receiver.bodies.map(({ data }) => (data as { last_lines: string[] }).last_lines);
  expect(lines.toSorted()).toEqual([['[svc: output that cannot be read]', 'b'], ['fine']]);
});

test('a chat gets the last lines as text, and the link', async () => {
  await rule(['execution.failed'], { channel: 'slack' });
  const agent = await world.agent({ endpoints: [JOB] });
  const called = world.call('job');
  const id = await agent.answer('one <b>\n\ntwo `x`\n', FAILED);
  await called;
  await receiver.until(1);
  const [{ body } = expect.unreachable()] = receiver.received;
  const { text } = JSON.parse(body) as { text: string };
  expect(text).toContain('Output: `one &lt;b&gt;`\nOutput: `two ˋxˋ`');
  expect(text).toContain(`<${world.hub.hubUrl}/dashboard/executions/${id}|Open>`);
});

test('a success is reported where a rule asks for it, and a recovery once after failures', async () => {
  const agent = await world.agent({ endpoints: [JOB, { name: 'other', command: 'true' }] });
  const end = async (slug: string, ending?: typeof FAILED) => {
    const called = world.call(slug);
    await agent.answer('x\n', ending);
    await called;
  };
  await end('job');
  const { id } = await rule(['execution.succeeded', 'execution.recovered'], { endpoint: 'job' });
  await end('job', FAILED);
  await end('job', FAILED);
  await end('other');
  await end('job');
  await end('job');
  await receiver.until(3);
  expect(receiver.bodies.map(({ type, data }) => `${type} ${data.endpoint} ${data.state}`)).toEqual([
    'execution.succeeded job succeeded',
    'execution.recovered job succeeded',
    'execution.succeeded job succeeded',
  ]);
  // A rule that no longer has the event applies at once.
  await ask('PATCH', `/alerts/${id}`, { events: ['execution.failed'] });
  await end('job');
  await end('job', FAILED);
  await receiver.until(4);
  expect(receiver.bodies.at(-1)?.type).toBe('execution.failed');
});

test('the callback URL of a call receives its end, apart from the callback URL of the endpoint', async () => {
  await using own = new Receiver();
  const agent = await world.agent({ endpoints: [{ ...JOB, callback_url: own.url }] });
  const post = (url: string, more: RequestInit = {}) =>
    world.call('job', { method: 'POST', ...more, headers: { 'x-callback-url': url } });
  const called = post(receiver.url);
  const id = await agent.answer('line\n', FAILED);
  const answer = await called;
  await receiver.until(1);
  await own.until(1);
  const [{ headers, body } = expect.unreachable()] = receiver.received;
  expect(headers.get('webhook-id')).toStartWith('msg_');
  expect(headers.get('webhook-id')).not.toBe(own.received[0]?.headers.get('webhook-id') ?? null);
  const { type, data } = JSON.parse(body);
  expect({ type, id: data.execution_id, lines: data.last_lines }).toEqual({
    type: 'execution.finished',
    id,
    lines: ['line'],
  });
  // Its caller can read the payload with the key.
  expect(answer.status).toBe(200);
  const record = await (
    await fetch(`${world.hub.baseUrl}/executions/${id}`, {
      headers: { 'x-api-key': world.start.apiKey },
    })
  ).json();
  const { endpoint, state: status, exit_code, duration_ms, created_at, ended_at } = data;
  expect(record).toMatchObject({
    endpoint,
    status,
    exit_code,
    duration_ms,
    created_at,
    ended_at,
    output: 'line\n',
  });
  // The same address twice gets one request.
  const both = post(own.url);
  await agent.answer('x\n');
  await both;
  await own.until(2);
  const log = (await ask('GET', '/alerts/callbacks/deliveries')).body;
  expect(log.items).toHaveLength(3);
});

test('a callback URL is refused before anything runs: without a key, to a private address, for a pipeline', async () => {
  await world.agent({ endpoints: [{ ...JOB, public: true }] });
  const url = encodeURIComponent(receiver.url);
  const anonymous = await fetch(`${world.hub.baseUrl}/v1/local/job?callback_url=${url}`);
  expect([anonymous.status, await anonymous.text()]).toEqual([401, expect.stringContaining('callback_url')]);
  const refused = await world.call('job?callback_url=http://10.0.0.7/x');
  expect([refused.status, await refused.text()]).toEqual([
    400,
    expect.stringContaining('SVC_ALERT_PRIVATE_NETWORKS'),
  ]);
  const { items } = (await ask('GET', '/executions')).body;
  expect(items).toEqual([]);
});

test('the callback URL of a pending call receives its end, also after a denial', async () => {
  await world.agent({ endpoints: [{ ...JOB, approval_required: true }] });
  const pending = await world.call(`job?callback_url=${encodeURIComponent(receiver.url)}`);
  const { approval_id, execution_id } = (await pending.json()) as {
    approval_id: string;
    execution_id: string;
  };
  await ask('POST', `/approvals/${approval_id}/decide`, { decision: 'deny' });
  await receiver.until(1);
  expect(receiver.bodies).toMatchObject([
    { type: 'execution.finished', data: { execution_id, state: 'denied', exit_code: null } },
  ]);
});

test('a revoked key gets no callback', async () => {
  const agent = await world.agent({ endpoints: [JOB] });
  const key = (await ask('POST', '/api-keys', { name: 'ci' })).body as Json & { token: string };
  const called = world.call('job', {
    headers: { 'x-api-key': key.token, 'x-callback-url': receiver.url, prefer: 'respond-async' },
  });
  expect((await called).status).toBe(202);
  await ask('DELETE', `/api-keys/${key.id}`);
  await agent.answer('secret\n', FAILED);
  await rule(['execution.failed']);
  const other = world.call('job');
  await agent.answer('x\n', FAILED);
  await other;
  await receiver.until(1);
  expect(receiver.bodies.map(({ type }) => type)).toEqual(['execution.failed']);
});

test('an endpoint without a success for the time of a rule is reported once, for that rule alone, and so is its next success', async () => {
  const watch = { endpoint: 'job', no_success_mins: 600 };
  const { id } = await rule(['no_success_since'], watch);
  await rule(['no_success_since'], { ...watch, no_success_mins: 2_000, name: 'patient' });
  const agent = await world.agent({ endpoints: [JOB] });
  const end = async (ending?: typeof FAILED) => {
    const called = world.call('job');
    await agent.answer('x\n', ending);
    await called;
  };
  await end();
  await end(FAILED);
  await agent.vanish();
  // Longer steps, as nothing is connected.
  for (let minutes = 0; minutes < 590; minutes += 1) {
    world.clock.move(60_000);
    await ask('GET', '/alerts');
  }
  expect(receiver.received).toEqual([]);
  while (publishedAlerts().length < 1) await pass(5);
  await world.restart();
  await pass(60);
  expect(publishedAlerts()).toEqual(['no_success_since']);
  expect(receiver.bodies[0]).toMatchObject({
    data: { rule_id: id, rule: 'mine', endpoint: 'job', pipeline: null, no_success_mins: 600 },
    url: `${world.hub.hubUrl}/dashboard/endpoints/job`,
  });
  const again = await world.agent({ endpoints: [JOB] });
  const called = world.call('job');
  await again.answer('x\n');
  await called;
  while (publishedAlerts().length < 2) await pass(5);
  await pass(60);
  expect(publishedAlerts()).toEqual(['no_success_since', 'success_resumed']);
});

test.each([
  [{ events: ['no_success_since'], endpoint: 'job' }, 'no_success_mins'],
  [{ events: ['no_success_since'], no_success_mins: 5 }, 'endpoint'],
  [{ events: ['execution.failed'], no_success_mins: 5 }, 'no_success_mins'],
  [{ events: ['no_success_since'], endpoint: 'job', no_success_mins: 40_321 }, 'no_success_mins'],
])('a rule that waits for a success needs an endpoint and minutes: %p', async (fields, path) => {
  const target = receiver.url;
  const { status, body } = await ask('POST', '/alerts', { name: 'x', channel: 'webhook', target, ...fields });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(path)]);
});

test('a fire that passes without its agent is reported as schedule.missed, with its time and reason', async () => {
  await rule(['schedule.missed']);
  const agent = await world.agent({ endpoints: [{ ...JOB, schedule: '* * * * *' }] });
  await agent.vanish();
  await world.untilNoAgent();
  while (receiver.received.length === 0) await pass(5);
  expect(receiver.bodies[0]).toMatchObject({
    type: 'schedule.missed',
    data: { endpoint: 'job', scheduled_for: '2026-11-20T12:01:00.000Z', reason: 'agent_offline', count: 1 },
  });
});

test('an agent is offline when it has been away for two minutes, once, and online when it is back', async () => {
  await rule(['agent.offline', 'agent.online']);
  const hello = { endpoints: [JOB] };
  const first = await world.agent(hello);
  await receiver.until(1);
  await first.vanish();
  await pass(100);
  const second = await world.agent(hello);
  await second.vanish();
  await pass(110);
  expect(publishedAlerts()).toEqual(['agent.online']);
  while (publishedAlerts().length < 2) await pass(5);
  await pass(200);
  await using third = await world.agent(hello);
  expect(third.welcome).toBeDefined();
  while (publishedAlerts().length < 3) await pass(5);
  expect(publishedAlerts()).toEqual(['agent.online', 'agent.offline', 'agent.online']);
});

test('an agent that comes back after a restart of the hub was never away; one that does not is offline', async () => {
  await rule(['agent.offline', 'agent.online']);
  const agents = ['here', 'gone'].map((name) => ({ name, instance: crypto.randomUUID(), endpoints: [] }));
  for (const agent of agents) await world.agent(agent);
  await receiver.until(2);
  await world.restart();
  await using again = await world.agent(agents[0] ?? expect.unreachable());
  expect(again.welcome).toBeDefined();
  while (publishedAlerts().length < 3) await pass(5);
  await pass(200);
  expect(publishedAlerts()).toEqual(['agent.online', 'agent.online', 'agent.offline']);
  // Alerts that were not stored as delivered before the stop are delivered again.
  expect(receiver.bodies.find(({ type }) => type === 'agent.offline')?.data).toMatchObject({ agent: 'gone' });
});

test('80 and 100 per cent of the monthly executions are each reported once', async () => {
  const { id } = await rule(['quota.80', 'quota.100']);
  {
    await using operator = await openAdmin(readHubConfig({ SVC_DATA_DIR: world.dataDir }));
    await operator.setPlan('local', 'free');
  }
  await world.clock.heartbeat(1);
  const agent = await world.agent({ endpoints: [JOB] });
  const calls = async (count: number) => {
    for (let made = 0; made < count; made += 100) {
      const answers = Array.from({ length: 100 }, () =>
        world.call('job', { headers: { prefer: 'respond-async' } }),
      );
      for (const answer of await Promise.all(answers)) expect(answer.status).toBe(202);
      // The limit of calls per minute.
      world.clock.move(15_000);
    }
  };
  await calls(700);
  expect(receiver.received).toEqual([]);
  // On record as delivered: what has no answer as the clock moves on would rightly be sent again.
  const delivered = async () => {
    const { items } = (await ask('GET', `/alerts/${id}/deliveries`)).body;
    return items.filter(({ state }) => state === 'delivered').length;
  };
  await calls(100);
  while ((await delivered()) < 1);
  await calls(200);
  while ((await delivered()) < 2);
  for (let polls = 0; polls < 5; polls += 1) {
    world.clock.move(15_000);
    await ask('GET', '/alerts');
  }
  expect(receiver.bodies).toMatchObject([
    { type: 'quota.80', data: { period: '2026-11', used: 800, limit: 1_000 } },
    { type: 'quota.100', data: { period: '2026-11', used: 1_000, limit: 1_000 } },
  ]);
  await agent.vanish();
});

test('a rule can be tried, changed, given a new secret and deleted, and all but the trial is in the audit log', async () => {
  const { id, secret } = await rule(['execution.lost']);
  const tried = await ask('POST', `/alerts/${id}/test`);
  expect(tried.status).toBe(202);
  await receiver.until(1);
  expect(receiver.bodies).toMatchObject([{ type: 'test', data: { rule: 'mine' } }]);
  const renamed = await ask('PATCH', `/alerts/${id}`, { name: 'other', endpoint: 'job', enabled: false });
  expect(renamed).toMatchObject({
    status: 200,
    body: { name: 'other', endpoint: 'job', agent: null, enabled: false },
  });
  expect((await ask('PATCH', `/alerts/${id}`, { endpoint: null })).body).toMatchObject({
    endpoint: null,
    name: 'other',
  });
  const rotated = await ask('POST', `/alerts/${id}/secret`);
  expect(rotated).toMatchObject({ status: 201, body: { secret: expect.stringMatching(/^whsec_/) } });
  expect(rotated.body.secret).not.toBe(secret);
  await ask('POST', `/alerts/${id}/test`);
  await receiver.until(2);
  expect(receiver.received[1]?.headers.get('webhook-signature')?.split(' ')).toHaveLength(2);
  const { items } = (await ask('GET', `/alerts/${id}/deliveries`)).body;
  expect(items).toHaveLength(2);
  expect(items.map((one) => one.id)).toContain(tried.body.delivery_id);
  expect((await ask('DELETE', `/alerts/${id}`)).status).toBe(204);
  expect((await ask('GET', `/alerts/${id}/deliveries`)).status).toBe(404);
  const log = (await ask('GET', '/audit')).body.items.map(({ action }) => action);
  expect(log.filter((action) => action.startsWith('alert.')).toReversed()).toEqual([
    'alert.made',
    'alert.changed',
    'alert.changed',
    'alert.secret_rotated',
    'alert.deleted',
  ]);
});

test('an invalid target is refused when the rule is made, with the accepted kinds', async () => {
  const wanted = { name: 'x', events: ['execution.failed'], channel: 'webhook' };
  const problems = [
    [
      'http://10.0.0.1/',
      'target: 10.0.0.1 is not on the public Internet (private); the operator of the hub can allow a network with SVC_ALERT_PRIVATE_NETWORKS',
    ],
    [
      'http://[::ffff:127.0.0.1]/',
      'target: ::ffff:7f00:1 is not on the public Internet (translated (IPv4-mapped)); the operator of the hub can allow a network with SVC_ALERT_PRIVATE_NETWORKS',
    ],
    ['https://a:b@example.com/', 'target: an address without a user name and password expected'],
    ['https://example.com:25/', 'target: port 25 is not one that webhooks are sent to'],
    ['ftp://example.com/', 'target: an address that begins with https:// expected'],
    ['nothing', 'target: an address that begins with https:// expected'],
  ];
  for (const [target, error] of problems)
    expect((await ask('POST', '/alerts', { ...wanted, target })).body).toMatchObject({
      code: 'invalid_argument',
      error,
    });
  const mail = { ...wanted, channel: 'email', target: 'eve@example.com' };
  expect((await ask('POST', '/alerts', mail)).body).toMatchObject({
    error: 'target: the e-mail address of a member of the workspace expected',
  });
});

test('a workspace has no more than 100 rules, however many are made at once', async () => {
  const wanted = {
    name: 'r',
    events: ['execution.failed'],
    channel: 'webhook',
    target: 'https://example.com/',
  };
  const made = await Promise.all(Array.from({ length: 120 }, () => ask('POST', '/alerts', wanted)));
  expect(made.filter(({ status }) => status === 201)).toHaveLength(100);
  expect(made.filter(({ status }) => status === 400)).toHaveLength(20);
});
