// What a dashboard shows of executions and approvals: filters, figures over time, once more, what waits.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type ParsedAnswer, type Person, readAnswer } from '../people.ts';
import { postOf } from '../pipelines.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { TailStream } from '../tail-reader.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ENDPOINTS = [
  { name: 'job', command: 'echo {{what}}', args: [{ name: 'what', default: 'x' }] },
  { name: 'other', command: 'true' },
  {
    name: 'login',
    command: 'cat',
    args: [{ name: 'user' }, { name: 'password', secret: true }],
  },
  { name: 'guarded', command: 'true', approval_required: true },
  { name: 'two-pairs-of-eyes', command: 'true', approval_required: true, allow_self: false },
  { name: 'admins-decide', command: 'true', approval_required: true, approvers: ['admin'] },
];

let world: HubWorld;
let agent: ScriptedAgent;
beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await world.agent({ endpoints: ENDPOINTS });
});
afterAll(() => world[Symbol.asyncDispose]());

const get = async (path: string): Promise<ParsedAnswer> => readAnswer(await world.manage(path));
const post = async (path: string, body: object = {}): Promise<ParsedAnswer> =>
  readAnswer(await world.manage(path, postOf(body)));
const itemsOf = ({ body }: ParsedAnswer) =>
  body.items as { endpoint: string; status: string; trigger: string }[];

const around = () => `from=${isoIn(-DAY_MS)}&until=${isoIn(DAY_MS)}`;
const isoIn = (ms: number) => new Date(world.clock.nowMs() + ms).toISOString();

describe('a list of executions', () => {
  beforeAll(async () => {
    for (const slug of ['job', 'other']) {
      const called = world.call(slug);
      await agent.answer('x\n');
      await called;
    }
    const failing = world.call('job');
    await agent.answer('x\n', { kind: 'exited', exit_code: 3, duration_ms: 40 });
    await failing;
    await post('/executions', { endpoint: 'other' });
    await agent.receive('run');
  });

  test('is narrowed to several states', async () => {
    const states = async (query: string) =>
      itemsOf(await get(`/executions?status=${query}`)).map(
        ({ endpoint, status }) => `${endpoint} ${status}`,
      );
    expect(await states('failed,running')).toEqual(['other running', 'job failed']);
    expect(await states('running,succeeded,failed')).toEqual([
      'other running',
      'job failed',
      'other succeeded',
      'job succeeded',
    ]);
    expect(await states('timed_out')).toEqual([]);
    const wrong = await get('/executions?status=failed,broken');
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('joined by commas');
  });

  test('is narrowed by how they began, by agent, and by time', async () => {
    const count = async (query: string) => itemsOf(await get(`/executions?${query}`)).length;
    expect(await count('trigger=call')).toBe(4);
    expect(await count('trigger=schedule')).toBe(0);
    expect(await count('agent=default&endpoint=job')).toBe(2);
    expect(await count('agent=elsewhere')).toBe(0);
    expect(await count(around())).toBe(4);
    expect(await count(`from=${isoIn(DAY_MS)}`)).toBe(0);
    expect(await count(`until=${isoIn(-DAY_MS)}`)).toBe(0);
  });

  test('is counted over time, with durations of what has run', async () => {
    const { body } = await get(`/executions/stats?${around()}&bucket=day`);
    const buckets = body.buckets as { states: Record<string, number>; duration_ms: object | null }[];
    const sums: Record<string, number> = {};
    for (const { states } of buckets)
      for (const [state, count] of Object.entries(states)) sums[state] = (sums[state] ?? 0) + count;
    expect(sums).toEqual({ running: 1, succeeded: 2, failed: 1 });
    expect(buckets.length).toBeGreaterThanOrEqual(3);
    expect(buckets.some(({ duration_ms }) => duration_ms !== null)).toBe(true);
    expect(body.complete_from).toEqual(body.from);
    const ofOne = await get(`/executions/stats?${around()}&bucket=day&endpoint=nothing`);
    expect(
      (ofOne.body.buckets as typeof buckets).every(({ states }) => Object.keys(states).length === 0),
    ).toBe(true);
    expect((await get('/executions/stats?bucket=minute')).status).toBe(400);
    expect((await get('/executions/stats')).status).toBe(200);
  });

  test('is counted in the hour in which it began, by the clock of the hub', async () => {
    world.clock.move(3 * HOUR_MS);
    const called = world.call('login?user=ada&password=x', { method: 'POST' });
    await agent.answer('x\n');
    await called;
    const { body } = await get(`/executions/stats?${around()}&bucket=hour&endpoint=login`);
    const buckets = body.buckets as { from: string; states: object }[];
    expect(buckets.filter(({ states }) => Object.keys(states).length > 0)).toMatchObject([
      {
        from: new Date(Math.floor(world.clock.nowMs() / HOUR_MS) * HOUR_MS).toISOString(),
        states: { succeeded: 1 },
      },
    ]);
    const upToNow = await get('/executions/stats?endpoint=login');
    const hours = upToNow.body.buckets as { from: string; states: object }[];
    expect(hours.findLastIndex(({ states }) => Object.keys(states).length > 0)).toBe(hours.length - 1);
    expect(hours.filter(({ states }) => Object.keys(states).length > 0)).toHaveLength(1);
  });

  test('has the values of each call when they are asked for: long ones are cut, secret ones left out', async () => {
    const user = encodeURIComponent(`${'a'.repeat(199)}😀b`);
    const called = world.call(`login?user=${user}&password=x`, { method: 'POST' });
    await agent.answer('x\n');
    await called;
    const first = async (query: string) =>
      itemsOf(await get(`/executions?endpoint=login&limit=1${query}`))[0] ?? expect.unreachable();
    expect(await first('&with=args')).toMatchObject({
      args: { user: `${'a'.repeat(199)}…`, password: null },
    });
    expect(await first('')).not.toHaveProperty('args');
    expect((await get('/executions?with=output')).status).toBe(400);
  });
});

describe('an execution is run once more', () => {
  const ran = async (body: object) => {
    const { body: accepted } = await post('/executions', body);
    await agent.answer('x\n');
    return String(accepted.execution_id);
  };

  test('with its values, or with others in place of some', async () => {
    const id = await ran({ endpoint: 'job', args: { what: 'first' } });
    expect((await post(`/executions/${id}/again`)).status).toBe(202);
    const again = await agent.receive('run');
    expect(again.args).toEqual({ what: 'first' });
    agent.end(again.execution_id, 0);
    await post(`/executions/${id}/again`, { args: { what: 'second' } });
    const other = await agent.receive('run');
    expect(other.args).toEqual({ what: 'second' });
    agent.end(other.execution_id, 0);
  });

  test('with its secrets only when they are given again', async () => {
    const id = await ran({ endpoint: 'login', args: { user: 'ada', password: 'correct horse' } });
    const refused = await post(`/executions/${id}/again`);
    expect(refused.status).toBe(400);
    expect(refused.body.details).toEqual({
      fields: [{ field: 'args.password', message: 'it was secret and is not stored: give it again' }],
    });
    expect((await post(`/executions/${id}/again`, { args: { password: 'battery' } })).status).toBe(202);
    const again = await agent.receive('run');
    expect(again.args).toEqual({ user: 'ada', password: 'battery' });
    agent.end(again.execution_id, 0);
  });

  test.each([
    ['/executions', { endpoint: 'job', args: { what: 'once' } }],
    ['again', { args: { what: 'once more' } }],
  ])('by %s a second time only with another Idempotency-Key', async (path, body) => {
    const url = path === 'again' ? `/executions/${await ran({ endpoint: 'job' })}/again` : path;
    const key = { 'idempotency-key': crypto.randomUUID() };
    const asked = async (given: object, more: Record<string, string> = key) => {
      const response = await world.manage(url, postOf(given, more));
      const { execution_id: of, status, code } = (await response.json()) as Record<string, unknown>;
      return { answer: response.status, of, said: code ?? status };
    };
    const { of } = await asked(body);
    const { execution_id: id } = await agent.receive('run');
    expect(of).toBe(id);
    expect(await asked(body)).toEqual({ answer: 409, of, said: 'idempotency_in_progress' });
    agent.end(id, 0);
    await agent.receive('ended_ack', (frame) => frame.execution_id === id);
    expect(await asked(body)).toEqual({ answer: 202, of, said: 'succeeded' });
    const other = { ...body, args: { what: 'another' } };
    expect(await asked(other)).toEqual({ answer: 422, of, said: 'idempotency_mismatch' });
    expect(agent.unread('run')).toBe(0);
    expect(await asked(body, {})).toMatchObject({ answer: 202, said: 'running' });
    agent.end((await agent.receive('run')).execution_id, 0);
  });

  test('only where it is: not in another workspace, and not when its endpoint is gone', async () => {
    expect((await post(`/executions/${crypto.randomUUID()}/again`)).status).toBe(404);
    await post('/endpoints', { slug: 'short-lived', command: 'true' });
    const id = await ran({ endpoint: 'short-lived' });
    await world.manage('/endpoints/short-lived', { method: 'DELETE' });
    expect((await post(`/executions/${id}/again`)).status).toBe(404);
  });
});

describe('pending approvals', () => {
  let lin: Person;
  let ann: Person;
  beforeAll(async () => {
    const approvals = new Approvals(world);
    lin = await approvals.member('lin@example.com');
    ann = await approvals.member('ann@example.com', 'admin');
    for (const slug of ['guarded', 'admins-decide']) await approvals.callForApproval(slug);
    await lin.ask('POST', '/executions', {
      body: { endpoint: 'two-pairs-of-eyes' },
      workspace: world.start.username,
    });
  });
  const of = (person: Person, path: string) => person.ask('GET', path, { workspace: world.start.username });

  test('is counted for each member by what they may decide on', async () => {
    expect((await of(lin, '/approvals/waiting')).body).toEqual({ pending: 3, mine: 1, elsewhere: [] });
    expect((await of(ann, '/approvals/waiting')).body).toEqual({ pending: 3, mine: 3, elsewhere: [] });
  });

  test('shows it in the list, as long as it waits', async () => {
    const seen = async (person: Person) =>
      Object.fromEntries(
        ((await of(person, '/approvals')).body.items as { endpoint: string; may_decide?: string }[]).map(
          ({ endpoint, may_decide: may }) => [endpoint, may],
        ),
      );
    expect(await seen(lin)).toEqual({
      guarded: 'yes',
      'admins-decide': 'not_approver',
      'two-pairs-of-eyes': 'own_call',
    });
    const { items } = (await of(ann, '/approvals?endpoint=guarded')).body as {
      items: { approval_id: string }[];
    };
    await ann.ask('POST', `/approvals/${items[0]?.approval_id}/decide`, {
      body: { decision: 'deny' },
      workspace: world.start.username,
    });
    expect((await seen(lin)).guarded).toBeUndefined();
    expect((await of(ann, '/approvals/waiting')).body).toEqual({ pending: 2, mine: 2, elsewhere: [] });
  });

  test('GET /workspace shows whether the user is an operator', async () => {
    expect((await get('/workspace')).body.operator).toBe(true);
    expect((await of(ann, '/workspace')).body.operator).toBe(false);
  });
});

describe('a search in output', () => {
  const print = async (slug: string, text: string): Promise<string> => {
    const called = world.call(slug);
    const id = await agent.answer(text);
    await called;
    return id;
  };
  const found = async (query: string) => {
    const { body } = await get(`/executions?output=${query}`);
    return body as { items: { execution_id: string; output_line?: string }[]; unsearched_from?: string };
  };
  /** Until everything that began before now is indexed. */
  const untilIndexed = async () => {
    world.clock.move(30_000);
    while ((await found('nothing')).unsearched_from !== undefined);
  };

  test('finds executions that printed the words, with the line, and none of other callers', async () => {
    const id = await print('job', 'starting\nthe <b>Zebra</b> escaped\ndone\n');
    await print('other', 'zebra without more\n');
    await untilIndexed();
    expect((await found('escaped+zebra')).items).toMatchObject([
      { execution_id: id, output_line: 'the <b>Zebra</b> escaped' },
    ]);
    expect((await get('/executions?output=zebra&endpoint=other')).body.items).toHaveLength(1);
    const stranger = await new Approvals(world).member('search@example.com');
    const theirs = await stranger.ask('GET', '/executions?output=zebra');
    expect(theirs.body.items).toEqual([]);
    const ofKey = await fetch(`${world.hub.hubUrl}/executions?output=zebra`, {
      headers: { 'x-api-key': String((await post('/api-keys', { name: 'other key' })).body.token) },
    });
    expect(((await ofKey.json()) as { items: unknown[] }).items).toEqual([]);
  });

  test('is refused without a word, and with too many', async () => {
    expect((await get('/executions?output=%21')).status).toBe(400);
    expect((await get('/executions?output=a+b+c+d+e+f+g+h+i+j+k')).status).toBe(400);
    expect((await get(`/executions?output=${'x'.repeat(201)}`)).status).toBe(400);
  });
});

describe('the output of all executions', () => {
  const owner = () => ({ authorization: `Bearer ${world.start.accessToken}` });
  const ownKey = () => ({ 'x-api-key': world.start.apiKey });
  const tail = (headers: Readonly<Record<string, string>>, query = '') =>
    TailStream.open(`${world.hub.hubUrl}/tail${query}`, headers);
  const print = async (called: Promise<unknown>, text: string): Promise<string> => {
    const id = await agent.answer(text);
    await called;
    return id;
  };

  test('is one stream, in which each line names its execution and endpoint', async () => {
    await using stream = await tail(owner());
    const first = await print(world.call('job'), 'a\n');
    const second = await print(world.call('other'), '<b>\n');
    expect([await stream.next(), await stream.next()]).toEqual([
      { type: 'line', execution_id: first, endpoint: 'job', data: 'a' },
      { type: 'line', execution_id: second, endpoint: 'other', data: '<b>' },
    ]);
  });

  test('is narrowed by endpoint, agent and text', async () => {
    await using ofOther = await tail(owner(), '?endpoint=other');
    await using ofAgent = await tail(owner(), '?agent=default&text=NEEDLE');
    await using ofNone = await tail(owner(), '?agent=none');
    await print(world.call('job'), 'of job\na needle\n');
    await print(world.call('other'), 'of other\nlast needle\n');
    expect(await ofOther.until('last needle')).toEqual(['of other', 'last needle']);
    expect(await ofAgent.until('last needle')).toEqual(['a needle', 'last needle']);
    // The tail of no agent was open all the time, and its lines are sent with those of the others.
    const next = ofNone.next();
    expect(await Promise.race([next, Promise.resolve('nothing')])).toBe('nothing');
    await ofNone[Symbol.asyncDispose]();
    await next.catch(() => undefined);
  });

  test('shows a key what it started, and no caller another workspace', async () => {
    const stranger = await new Approvals(world).member('tail@example.com');
    await using ofKey = await tail(ownKey());
    await using ofStranger = await tail({ cookie: stranger.cookie });
    // Started by a member, not by the key.
    const started = post('/executions', { endpoint: 'job' });
    await print(started, 'of the member\n');
    await print(world.call('job'), 'of the key\n');
    expect(await ofKey.until('of the key')).toEqual(['of the key']);
    const next = ofStranger.next();
    expect(await Promise.race([next, Promise.resolve('nothing')])).toBe('nothing');
    await ofStranger[Symbol.asyncDispose]();
    await next.catch(() => undefined);
  });

  test('ends with the key of its reader', async () => {
    const made = await post('/api-keys', { name: 'short' });
    await using stream = await tail({ 'x-api-key': String(made.body.token) });
    expect((await world.manage(`/api-keys/${String(made.body.id)}`, { method: 'DELETE' })).status).toBe(204);
    expect(await stream.next()).toBeUndefined();
  });

  test('is refused without a credential, with a wrong filter, and to a caller with ten tails', async () => {
    const status = async (query: string, headers: Readonly<Record<string, string>>) =>
      (await readAnswer(await fetch(`${world.hub.hubUrl}/tail${query}`, { headers }))).status;
    expect(await status('', {})).toBe(401);
    expect(await status('?stream=stdout', owner())).toBe(400);
    expect(await status(`?text=${'x'.repeat(201)}`, owner())).toBe(400);
    // Answers to HEAD have no stream, so they do not count.
    for (let n = 0; n < 12; n += 1) await world.manage('/tail', { method: 'HEAD' });
    const open = await Promise.all(Array.from({ length: 10 }, () => tail(owner())));
    expect(await status('', owner())).toBe(429);
    for (const stream of open) await stream[Symbol.asyncDispose]();
  });
});
