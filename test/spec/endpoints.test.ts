// Endpoints of the API and of files: references 2.2 and 4.2, decisions 2, 31 to 33 and 47.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { realAgent } from '../real-agent.ts';
import { announcements } from '../scripted-agent.ts';

let world: HubWorld;
beforeEach(async () => {
  world = await hubWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

type Body = Record<string, unknown>;

interface ParsedAnswer {
  readonly status: number;
  readonly body: Body;
  readonly etag: string | null;
}

async function ask(method: string, path: string, body?: object, headers: object = {}): Promise<ParsedAnswer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await world.manage(path, {
    method,
    ...sent,
    headers: { 'content-type': 'application/json', ...headers },
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? {} : (JSON.parse(text) as Body),
    etag: response.headers.get('etag'),
  };
}

const create = (body: object) => ask('POST', '/endpoints', body);
const show = (slug: string) => ask('GET', `/endpoints/${slug}`);
const change = (slug: string, body: object, headers?: object) =>
  ask('PATCH', `/endpoints/${slug}`, body, headers);
const outcome = ({ status, body }: ParsedAnswer) => [status, body.code];

async function auditActions(): Promise<string[]> {
  const { items } = (await ask('GET', '/audit')).body as { items: { action: string }[] };
  return items.map(({ action }) => action);
}

describe('an endpoint of the API', () => {
  test('is made with either word for its name, runs on the agent, and is shown whole', async () => {
    await using _agent = await realAgent(world, [{ name: 'other', command: 'true' }]);
    const definition = { command: 'echo "{{greeting}}, $WHO"', env: { WHO: 'Ada' }, timeout: 7 };
    const args = [{ name: 'greeting', default: 'Hello', max_length: 20 }];
    const made = await create({ slug: 'greet', ...definition, args });
    expect([made.status, made.etag]).toEqual([201, '"1"']);
    expect(made.body).toMatchObject({
      slug: 'greet',
      name: 'greet',
      url: world.urlOf('greet'),
      source: 'api',
      agent_name: 'default',
      agent_status: 'online',
      version: 1,
      created_at: '2026-11-20T12:00:00.000Z',
      ...definition,
      args: [
        {
          name: 'greeting',
          type: 'text',
          inferred: true,
          accepts: 'any text',
          default: 'Hello',
          max_length: 20,
          required: false,
        },
      ],
      public: false,
      approval_required: false,
      overrides: {},
    });
    expect((await show('greet')).body).toEqual(made.body);
    // The arguments of an answer can be sent back, and change nothing.
    const again = await ask('PATCH', '/endpoints/greet', { args: made.body.args });
    expect([again.status, again.body.version]).toEqual([200, 1]);
    const called = await world.call('greet?greeting=Hi');
    expect([called.status, await called.json()]).toMatchObject([200, { output: 'Hi, Ada\n', exit_code: 0 }]);
    expect((await create({ name: 'second', command: 'true' })).body).toMatchObject({ slug: 'second' });
    expect(await auditActions()).toContain('endpoint.created');
  });

  test('is refused by the rules of svc.yaml, with the field and the place in the command', async () => {
    const fields = async (body: object) => {
      const received = await create(body);
      expect(outcome(received)).toEqual([400, 'invalid_argument']);
      return (received.body.details as { fields: { field: string; message: string; offset?: number }[] })
        .fields;
    };
    const [inShell] = await fields({ slug: 'a', command: 'sh -c "rm {{x}}"', args: [{ name: 'x' }] });
    expect(inShell).toMatchObject({ field: 'command', offset: 10 });
    const [cron] = await fields({ slug: 'a', command: 'true', schedule: '0 25 * * *' });
    expect(cron).toMatchObject({ field: 'schedule', message: expect.stringContaining('hour'), offset: 2 });
    const [variable] = await fields({ slug: 'a', command: 'true', env: { LD_PRELOAD: 'x' } });
    expect(variable?.field).toBe('env.LD_PRELOAD');
    const [nul] = await fields({ slug: 'a', command: 'true', description: 'a\0b' });
    expect(nul?.field).toBe('description');
    const shapes = await fields({ command: 'true', timeout: 0, comand: 1, args: [{ name: '0' }] });
    expect(shapes.map(({ field }) => field).sort()).toEqual(['args.0.name', 'comand', 'slug', 'timeout']);
    const all = await fields({
      ...{
        slug: 'A b',
        timeout: 'x',
        command: 'echo "{{x',
        schedule: '0 25 * * *',
        env: { LD_PRELOAD: 'x' },
      },
      ...{ public: true, allow_self: false },
    });
    const wrong = ['command', 'env.LD_PRELOAD', 'public', 'schedule', 'slug', 'timeout'];
    expect(all.map(({ field }) => field).sort()).toEqual(wrong);
    expect(await fields({ slug: 'a', name: 'b', command: 'true' })).toMatchObject([{ field: 'name' }]);
    expect((await ask('GET', '/endpoints')).body.items).toEqual([]);
  });

  test('has a slug of its own in the workspace, also for requests at the same moment', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, n) => create({ slug: 'one', command: `echo ${n}` })),
    );
    const statuses = all.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
    expect(all.find(({ status }) => status === 409)?.body.code).toBe('slug_taken');
    await create({ slug: 'two', command: 'true' });
    expect(outcome(await change('two', { slug: 'one' }))).toEqual([409, 'slug_taken']);
    await using agent = await world.agent({ endpoints: [{ name: 'one', command: 'true' }] });
    expect(agent.welcome.refused).toMatchObject([{ name: 'one', reason: expect.stringContaining('API') }]);
  });

  test('is changed field by field; null takes a field away; the next call runs the new command', async () => {
    await using _agent = await realAgent(world, [{ name: 'other', command: 'true' }]);
    await create({ slug: 'say', command: 'echo one', timeout: 5, description: 'Says it' });
    expect(await (await world.call('say')).json()).toMatchObject({ output: 'one\n' });
    world.clock.move(1_000);
    const changed = await change('say', { command: 'echo two', timeout: null });
    expect(changed.body).toMatchObject({ command: 'echo two', timeout: 60, description: 'Says it' });
    expect(changed.body).toMatchObject({ version: 2, updated_at: '2026-11-20T12:00:01.000Z' });
    expect(await (await world.call('say')).json()).toMatchObject({ output: 'two\n' });
    expect((await change('say', { slug: 'tell' })).body).toMatchObject({ slug: 'tell', version: 3 });
    expect([(await world.call('say')).status, (await world.call('tell')).status]).toEqual([404, 200]);
    expect(outcome(await change('tell', { command: null }))).toEqual([400, 'invalid_argument']);
    expect((await change('tell', { timeout: null })).body.version).toBe(3);
  });

  test('is changed on the version that the sender has seen, or not at all', async () => {
    await create({ slug: 'job', command: 'true' });
    expect((await change('job', { timeout: 2, version: 1 })).body.version).toBe(2);
    expect(outcome(await change('job', { timeout: 3, version: 1 }))).toEqual([409, 'version_conflict']);
    const stale = await change('job', { timeout: 3 }, { 'if-match': '"1"' });
    expect(outcome(stale)).toEqual([412, 'precondition_failed']);
    for (const tag of ['"x"', '2', 'W/"99999999999999999999"'])
      expect((await change('job', { timeout: 3 }, { 'if-match': tag })).status).toBe(412);
    expect((await change('job', { timeout: 3 }, { 'if-match': '"2"' })).etag).toBe('"3"');
    const removed = (headers: object) => ask('DELETE', '/endpoints/job', undefined, headers);
    expect(outcome(await removed({ 'if-match': '"2"' }))).toEqual([412, 'precondition_failed']);
    expect((await removed({ 'if-match': '"3"' })).status).toBe(204);
  });

  test('is changed by many at once, and no change is lost', async () => {
    await create({ slug: 'busy', command: 'true' });
    const all = await Promise.all([
      ...['a', 'b', 'c', 'd'].map((text) => change('busy', { description: text })),
      change('busy', { timeout: 9 }),
      change('busy', { max_concurrent: 4 }),
    ]);
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
    expect((await show('busy')).body).toMatchObject({ version: 7, timeout: 9, max_concurrent: 4 });
  });

  test('leaves what it ran readable when it was changed and deleted', async () => {
    await using agent = await world.agent({ endpoints: [] });
    await create({ slug: 'gone', command: 'echo one' });
    const called = world.call('gone');
    const id = await agent.answer('one\n');
    expect((await called).status).toBe(200);
    await change('gone', { command: 'echo two' });
    const versions = (await ask('GET', '/endpoints/gone/versions?limit=1')).body as { next_cursor: string };
    expect(versions).toMatchObject({ items: [{ version: 2, definition: { command: 'echo two' } }] });
    const older = await ask('GET', `/endpoints/gone/versions?cursor=${versions.next_cursor}`);
    expect(older.body).toMatchObject({ items: [{ version: 1, source: 'api' }], next_cursor: null });
    expect((await ask('DELETE', '/endpoints/gone')).status).toBe(204);
    expect([(await show('gone')).status, (await world.call('gone')).status]).toEqual([404, 404]);
    expect((await ask('GET', `/executions/${id}`)).body).toMatchObject({ endpoint_version: 1 });
    const definition = { name: 'gone', command: 'echo one' };
    expect((await ask('GET', `/executions/${id}/definition`)).body).toMatchObject({ version: 1, definition });
    expect((await create({ slug: 'gone', command: 'true' })).body.version).toBe(1);
    expect(await auditActions()).toEqual(
      expect.arrayContaining(['endpoint.created', 'endpoint.changed', 'endpoint.deleted']),
    );
  });

  test('is sent whole again when its order was lost with the connection', async () => {
    await using agent = await world.agent({ endpoints: [] });
    await create({ slug: 'again', command: 'echo {{x}}', args: [{ name: 'x', default: 'y' }] });
    const started = await ask('POST', '/executions', { endpoint: 'again', args: { x: 'z' } });
    const first = await agent.receive('run');
    await change('again', { command: 'echo other' });
    await agent.vanish();
    await using back = await world.agent({ endpoints: [] });
    const second = await back.receive('run');
    expect(second).toEqual(first);
    expect(second).toMatchObject({
      execution_id: started.body.execution_id,
      definition: { name: 'again', command: 'echo {{x}}' },
      args: { x: 'z' },
      timeout: 60,
    });
  });

  test('is sent whole again by a restarted hub', async () => {
    const agent = await world.agent({ endpoints: [] });
    await create({ slug: 'again', command: 'echo {{x}}', args: [{ name: 'x', default: 'y' }] });
    await ask('POST', '/executions', { endpoint: 'again', args: { x: 'z' } });
    const first = await agent.receive('run');
    await world.restart();
    await using back = await world.agent({ endpoints: [] });
    expect(await back.receive('run')).toEqual(first);
    await agent[Symbol.asyncDispose]();
  });

  test('is refused by an agent that runs only its own file, and shows this before the first call', async () => {
    await using _agent = await realAgent(world, [{ name: 'own', command: 'echo own' }], ['--local-only']);
    await create({ slug: 'api', command: 'echo api' });
    expect((await show('api')).body.agent_status).toBe('local_only');
    const called = await world.call('api');
    expect([called.status, await called.json()]).toMatchObject([403, { code: 'agent_refused' }]);
    const stream = await world.call('api', { headers: { accept: 'text/event-stream' } });
    expect([stream.status, await stream.json()]).toMatchObject([
      403,
      { code: 'agent_refused', execution_id: stream.headers.get('x-execution-id') },
    ]);
    const own = await world.call('own', { headers: { accept: 'text/event-stream' } });
    expect([own.status, await own.text()]).toEqual([200, expect.stringContaining('"data":"own"')]);
    expect((await show('own')).body.agent_status).toBe('online');
    expect((await world.call('own')).status).toBe(200);
  });

  test('runs on another of the pool where one runs only its own file', async () => {
    const other = '22222222-2222-4222-8222-222222222222';
    await using own = await world.agent({ endpoints: [], isLocalOnly: true });
    await using any = await world.agent({ endpoints: [], instance: other });
    await create({ slug: 'api', command: 'true' });
    expect((await show('api')).body.agent_status).toBe('online');
    const called = world.call('api');
    await any.answer('ok\n');
    expect([(await called).status, own.unread('run')]).toEqual([200, 0]);
  });
});

describe('an endpoint of a file', () => {
  const FILE = [{ name: 'deploy', command: 'echo {{x}}', args: [{ name: 'x', default: 'y' }], timeout: 9 }];

  test('is changed in the file alone, where the file decides', async () => {
    await using _agent = await world.agent({ endpoints: FILE });
    for (const body of [
      { name: 'other' },
      { slug: 'other' },
      { command: 'true' },
      { args: [] },
      { args: null },
      { env: { A: '1' } },
      { cwd: '/' },
      { transform: { parse: 'json' } },
      { agent_name: 'other' },
    ]) {
      const received = await change('deploy', body);
      expect([body, ...outcome(received)]).toEqual([body, 409, 'managed_by_config']);
    }
    const removed = await ask('DELETE', '/endpoints/deploy');
    expect(outcome(removed)).toEqual([409, 'managed_by_config']);
    expect(String(removed.body.error)).toContain('take it out there');
    expect((await show('deploy')).body).toMatchObject({ version: 1, overrides: {} });
  });

  test('is overridden through the API, shown as overridden, kept when the file changes, and taken back', async () => {
    await using agent = await world.agent({ endpoints: FILE });
    const overridden = await change('deploy', { timeout: 7, method: 'POST' });
    expect(overridden.body).toMatchObject({
      version: 2,
      timeout: 7,
      method: 'POST',
      overrides: { timeout: 7, method: 'POST' },
    });
    expect((await world.call('deploy')).status).toBe(405);
    const file = [{ ...FILE[0], name: 'deploy', command: 'echo new {{x}}', timeout: 12 }];
    agent.say({ type: 'config', revision: 2, endpoints: announcements(file) });
    await agent.receive('registered');
    expect((await show('deploy')).body).toMatchObject({
      version: 3,
      command: 'echo new {{x}}',
      timeout: 7,
      overrides: { timeout: 7, method: 'POST' },
      outdone: [],
    });
    const called = world.call('deploy', { method: 'POST' });
    const order = await agent.receive('run');
    expect([order.timeout, order.definition, order.hash]).toEqual([
      7,
      undefined,
      announcements(file)[0]?.hash,
    ]);
    agent.end(order.execution_id, 0);
    await called;
    const back = await change('deploy', { timeout: null });
    expect(back.body).toMatchObject({ version: 4, timeout: 12, overrides: { method: 'POST' } });
    const versions = (await ask('GET', '/endpoints/deploy/versions')).body as { items: Body[] };
    expect(
      versions.items.map(({ version, overrides }) => [version, Object.keys(overrides as object)]),
    ).toEqual([
      [4, ['method']],
      [3, ['method', 'timeout']],
      [2, ['method', 'timeout']],
      [1, []],
    ]);
  });

  test('is tightened here and loosened in its file, of which the stricter side counts', async () => {
    await using agent = await world.agent({ endpoints: FILE });
    const looser = await change('deploy', { timeout: 10, public: true });
    expect(outcome(looser)).toEqual([409, 'managed_by_config']);
    expect(looser.body).toMatchObject({ details: { fields: ['public', 'timeout'] } });
    expect(String(looser.body.error)).toContain('change svc.yaml on the agent "default"');
    const specified = { approval_required: true, approval_timeout_mins: 60 };
    expect((await change('deploy', specified)).body).toMatchObject(specified);
    expect((await change('deploy', { approval_required: null })).body.approval_required).toBe(false);
    await change('deploy', { timeout: 8, max_concurrent: 4 });
    const file = [{ ...FILE[0], name: 'deploy', command: 'true', args: [], timeout: 3, max_concurrent: 2 }];
    agent.say({ type: 'config', revision: 2, endpoints: announcements(file) });
    await agent.receive('registered');
    const { items } = (await ask('GET', '/endpoints?search=deploy')).body as { items: Body[] };
    expect(items).toMatchObject([
      {
        timeout: 3,
        max_concurrent: 2,
        overrides: { timeout: 8, max_concurrent: 4 },
        outdone: ['max_concurrent', 'timeout'],
      },
    ]);
    const called = world.call('deploy');
    const order = await agent.receive('run');
    expect(order.timeout).toBe(3);
    agent.end(order.execution_id, 0);
    await called;
  });

  test('keeps what restricts it when the file no longer fits an override', async () => {
    await using agent = await world.agent({ endpoints: FILE });
    await change('deploy', { schedule: '0 5 * * *', public: false, method: 'POST' });
    const file = [
      { name: 'deploy', command: 'echo {{x}}', args: [{ name: 'x', required: true }], public: true },
    ];
    agent.say({ type: 'config', revision: 2, endpoints: announcements(file) });
    await agent.receive('registered');
    expect((await show('deploy')).body).toMatchObject({ public: false, method: 'POST', schedule: null });
    const anonymous = await fetch(world.urlOf('deploy'), { method: 'POST' });
    expect(anonymous.status).toBe(401);
    expect(outcome(await change('deploy', { timeout: 3 }))).toEqual([400, 'invalid_argument']);
    expect((await change('deploy', { timeout: 3, schedule: null })).status).toBe(200);
  });
});

test('the list is searched and paged', async () => {
  for (const slug of ['alpha', 'beta', 'gamma'])
    await create({
      slug,
      command: `echo ${slug}`,
      description: slug === 'beta' ? 'Cleans UP' : 'Nothing',
      ...(slug !== 'gamma' && { tags: ['web', slug] }),
    });
  const slugs = async (query: string) => {
    const { items, next_cursor } = (await ask('GET', `/endpoints?${query}`)).body;
    return [(items as Body[]).map(({ slug }) => slug), next_cursor];
  };
  expect(await slugs('search=CLEANS%20up')).toEqual([['beta'], null]);
  expect(await slugs('search=echo%20G')).toEqual([['gamma'], null]);
  expect(await slugs('tag=web')).toEqual([['alpha', 'beta'], null]);
  expect(await slugs('tag=beta&search=nothing')).toEqual([[], null]);
  expect(await slugs('tag=we')).toEqual([[], null]);
  expect(await slugs('limit=2')).toEqual([['alpha', 'beta'], 'beta']);
  expect(await slugs('limit=2&cursor=beta')).toEqual([['gamma'], null]);
});
