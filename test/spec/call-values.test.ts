// svc call: typed values, files, --async, --follow, --dry-run and Ctrl-C; svc logs: filters and columns. With a hub and an agent.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { sessionIn } from '../people.ts';
import { makePipeline } from '../pipelines.ts';
import { runSvc, startSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';

let world: HubWorld;
let agent: RealAgent;

beforeAll(async () => {
  world = await hubWorld();
  agent = await realAgent(world, [
    { name: 'say', command: 'printf %s {{text}}', args: [{ name: 'text' }] },
    {
      name: 'pack',
      command: "printf '<%s>' {{files}} end",
      args: [{ name: 'files', type: 'list', items: 'text', required: true }],
    },
    {
      name: 'order',
      command: 'printenv SVC_ARG_ORDER',
      args: [
        {
          name: 'order',
          type: 'json',
          required: true,
          schema: { type: 'object', properties: { n: { type: 'integer', maximum: 9 } } },
        },
      ],
    },
    { name: 'envs', command: `cat ${world.dataDir}/envs.txt` },
    {
      name: 'services',
      command: `cat ${world.dataDir}/services-{{env}}.txt`,
      args: [{ name: 'env', type: 'word', required: true }],
    },
    {
      name: 'deploy',
      command: "printf '%s %s' {{env}} {{service}}",
      args: [
        { name: 'env', required: true, choices_from: 'envs' },
        { name: 'service', required: true, choices_from: 'services', choices_args: { env: '{{env}}' } },
      ],
    },
    { name: 'get', method: 'GET', command: 'echo {{n}}', args: [{ name: 'n' }] },
    { name: 'fails', command: 'sh -c "exit 3"' },
    { name: 'secretive', command: 'echo $svc:NOT_SET' },
    { name: 'waits', command: 'sh -c "echo started; exec sleep 60"' },
    {
      name: 'guarded',
      command: 'echo {{to}}',
      args: [{ name: 'to', required: true }],
      approval_required: true,
    },
  ]);
  const input_schema = [
    { name: 'count', type: 'number', required: true },
    { name: 'dry', type: 'boolean', required: true },
    { name: 'head', type: 'object', required: true },
  ];
  await makePipeline(world, {
    slug: 'ship',
    trigger: { type: 'webhook', input_schema: [{ name: 'env', type: 'string', required: true }] },
    nodes: [{ id: 'deploy', endpoint: 'deploy', args: { env: '{input.env}', service: 'web' } }],
  });
  await makePipeline(world, {
    slug: 'hook',
    trigger: { type: 'webhook', input_schema },
    nodes: [{ id: 'say', endpoint: 'say', args: { text: '{input.count} {input.dry} {input.head.sha}' } }],
  });
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

function options(env: Record<string, string> = {}) {
  const { accessToken } = world.start;
  return {
    cwd: world.dataDir,
    env: {
      SVC_BASE_URL: world.hub.baseUrl,
      SVC_ACCESS_TOKEN: accessToken,
      XDG_CONFIG_HOME: world.dataDir,
      ...env,
    },
  };
}
const svc = (...args: string[]) => runSvc(args, options());
/** With the key of a caller, which may not view endpoints. */
const asCaller = () => {
  const { apiKey, username } = world.start;
  return options({ SVC_API_KEY: apiKey, SVC_USERNAME: username, SVC_ACCESS_TOKEN: '' });
};

describe('values', () => {
  test('numbers, booleans and objects reach a pipeline whose fields have these types', async () => {
    const typed = await svc('call', 'hook', 'count:=3.5', 'dry:=false', 'head:={"sha":"abc"}');
    expect(typed).toMatchObject({ exitCode: 0, stdout: 'say | 3.5 false abc\n', stderr: '' });
    expect(await svc('call', 'hook', 'count=3', 'dry=false', 'head={}')).toMatchObject({ exitCode: 2 });
  });

  test('a list is a name that occurs more than once, or JSON; each item is one word of the command', async () => {
    expect((await svc('call', 'pack', 'files=a b', 'files=$(id)')).stdout).toBe('<a b><$(id)><end>\n');
    expect((await svc('call', 'pack', 'files=a')).stdout).toBe('<a><end>\n');
    expect((await svc('call', 'pack', 'files:=["a", 1.50]')).stdout).toBe('<a><1.50><end>\n');
    expect((await svc('call', 'say', 'text=a', 'text=b')).stderr).toContain('not an array');
    const dry = await svc('call', 'pack', 'files=a', 'files=b', '--dry-run');
    expect(dry.stdout).toContain('["a","b"]');
    const url = `${world.hub.baseUrl}/v1/${world.start.username}`;
    const headers = { authorization: `Bearer ${world.start.apiKey}`, accept: 'application/json' };
    const got = await fetch(`${url}/pack?files=x&files=y`, { headers });
    expect(await got.json()).toMatchObject({ output: '<x><y><end>' });
    const { items } = (await (await fetch(url, { headers })).json()) as {
      items: { name: string; arguments: { properties: object } }[];
    };
    expect(items.find(({ name }) => name === 'pack')?.arguments.properties).toMatchObject({
      files: { type: 'array', items: { type: 'string' }, maxItems: 100 },
    });
  });

  test('POST /executions takes lists and objects, as a call does, and refuses what the type does not take', async () => {
    const start = async (path: string, body: object) => {
      const response = await fetch(`${world.hub.baseUrl}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.start.accessToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const outputOf = async ({ body }: { body: Record<string, unknown> }) =>
      (await svc('logs', String(body.execution_id))).stdout;
    const packed = await start('/executions', { endpoint: 'pack', args: { files: ['a b', 1.5, '$(id)'] } });
    expect(packed.status).toBe(202);
    expect(await outputOf(packed)).toBe('<a b><1.5><$(id)><end>\n');
    const again = await start(`/executions/${packed.body.execution_id}/again`, { args: { files: ['c'] } });
    expect(await outputOf(again)).toBe('<c><end>\n');
    const ordered = await start('/executions', {
      endpoint: 'order',
      args: { order: { n: 3, of: ['x', null] } },
    });
    expect(await outputOf(ordered)).toBe('{"n":3,"of":["x",null]}\n');
    for (const [endpoint, args, problem] of [
      ['say', { text: ['a'] }, 'not an array'],
      ['say', { text: { a: 1 } }, 'not an object'],
      ['pack', { files: [['a']] }, 'item 1: a string, a number or a boolean is expected'],
      ['pack', { files: null }, 'text, a number, true, false, a list or an object'],
      ['order', { order: { n: 10 } }, '10 is greater than 9'],
    ] as const) {
      const refused = await start('/executions', { endpoint, args });
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining(problem)]);
    }
  });

  test('a value is picked from a list that another endpoint gives, and checked against it by the agent', async () => {
    const file = (name: string, text: string) => Bun.write(join(world.dataDir, name), text);
    await file('envs.txt', 'eu\nus\n');
    await file('services-eu.txt', '[{"value": "web", "label": "Website"}, "db"]');
    const { accessToken } = world.start;
    const get = async (path: string) => {
      const headers = { authorization: `Bearer ${accessToken}` };
      const response = await fetch(`${world.hub.baseUrl}${path}`, { headers });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const choices = (rest: string) => get(`/endpoints/deploy/choices/${rest}`);

    expect(await choices('env')).toEqual({
      status: 200,
      body: { items: [{ value: 'eu' }, { value: 'us' }], total: 2 },
    });
    expect((await choices('service')).body).toMatchObject({
      code: 'invalid_argument',
      error: expect.stringContaining('argument "env": give it first'),
    });
    const inEu = `service?values=${encodeURIComponent('{"env":"eu"}')}`;
    expect((await choices(inEu)).body).toMatchObject({ total: 2 });
    expect((await choices(`${inEu}&search=SITE`)).body).toEqual({
      items: [{ value: 'web', label: 'Website' }],
      total: 1,
    });
    expect((await choices('none')).status).toBe(404);
    expect((await svc('call', 'deploy', 'env=eu', 'service=web')).stdout).toBe('eu web\n');
    expect((await svc('call', 'deploy', 'env=eu', 'service=web2')).stderr).toContain(
      'argument "service": "web2" is not in the list that "services" gives now',
    );

    const complete = async (...line: string[]) =>
      (await svc('completion', 'words', '--', 'call', ...line)).stdout.split('\n').slice(0, -1);
    expect(await complete('dep')).toEqual(['deploy\t']);
    expect(await complete('deploy', '')).toEqual(['env=\t', 'service=\t']);
    expect(await complete('--async', 'deploy', 'env=e')).toEqual(['env=eu\t']);
    // As bash gives it. The list depends on the value before.
    expect(await complete('deploy', 'env', '=', 'eu', 'service', '=', 'w')).toEqual(['service=web\tWebsite']);
    expect(await complete('deploy', 'service=w')).toEqual([]);
    expect(await complete('none', 'service=w')).toEqual([]);

    // A step of a pipeline ends at the same check.
    expect((await svc('call', 'ship', 'env=eu')).stdout).toBe('deploy | eu web\n');
    const step = await svc('call', 'ship', 'env=nowhere');
    expect([step.exitCode, step.stdout]).toEqual([1, '']);
    expect(step.stderr).toContain('argument "env": "nowhere" is not in the list that "envs" gives now');

    // The value leaves the list between form and call: the form still shows it, and the agent refuses it.
    await file('envs.txt', 'us\n');
    expect((await choices('env')).body).toMatchObject({ total: 2 });
    const late = await svc('call', 'deploy', 'env=eu', 'service=web');
    expect(late.stderr).toContain('argument "env": "eu" is not in the list that "envs" gives now');
    expect(late.stdout).toBe('');
    const { items } = (await get('/executions?trigger=choices')).body as { items: { endpoint: string }[] };
    expect(items.map(({ endpoint }) => endpoint).sort()).toEqual(['envs', 'services']);
  });

  test('a page of another site cannot have a list read with the session of its visitor', async () => {
    await Bun.write(join(world.dataDir, 'envs.txt'), 'eu\n');
    const cookie = sessionIn(await postForm((await world.hub.firstRun()).signInUrl));
    const read = async (headers: Record<string, string>) =>
      (await fetch(`${world.hub.hubUrl}/endpoints/deploy/choices/env`, { headers: { cookie, ...headers } }))
        .status;
    expect(await read({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).toBe(403);
    expect(await read({})).toBe(403);
    expect(await read({ origin: 'http://other.example' })).toBe(403);
    expect(await read({ 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await read({ 'x-requested-with': 'svc' })).toBe(200);
  });

  test('a JSON value reaches the command as it was written, if it matches the schema', async () => {
    expect((await svc('call', 'order', 'order:={"n": 3.0}')).stdout).toBe('{"n": 3.0}\n');
    const refused = await svc('call', 'order', 'order:={"n": 10}');
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('does not match the schema at /n');
  });

  test('a whole object comes from a file or from standard input, and single values add to it', async () => {
    await Bun.write(join(world.dataDir, 'hook.json'), '{"count": 1, "dry": true}\n');
    const stdin = join(world.dataDir, 'hook.json');
    const args = ['call', 'hook', 'head:={"sha":"f"}'];
    expect((await svc(...args, '@hook.json')).stdout).toBe('say | 1 true f\n');
    expect((await runSvc([...args, '-'], { ...options(), stdin })).stdout).toBe('say | 1 true f\n');
  });

  test('the text of a file or of standard input is a value', async () => {
    await Bun.write(join(world.dataDir, 'message.txt'), 'two\nlines "quoted"\n');
    const stdin = join(world.dataDir, 'message.txt');
    expect((await svc('call', 'say', 'text=@message.txt')).stdout).toBe('two\nlines "quoted"\n');
    expect((await runSvc(['call', 'say', 'text=-'], { ...options(), stdin })).stdout).toBe(
      'two\nlines "quoted"\n',
    );
    expect((await svc('call', 'say', 'text:="@message.txt"')).stdout).toBe('@message.txt\n');
    expect((await svc('call', 'say', 'text=@none.txt')).stderr).toBe(
      'error  none.txt cannot be read: there is no such file\n',
    );
  });

  test('a number keeps its digits, in a body and in the query of a GET', async () => {
    expect((await svc('call', 'say', 'text:=12345678901234567890.10')).stdout).toBe(
      '12345678901234567890.10\n',
    );
    expect((await svc('call', 'get', 'n:=12345678901234567890')).stdout).toBe('12345678901234567890\n');
    expect((await svc('call', 'get', 'n:=[1]')).stderr).toContain('the endpoint takes GET');
  });
});

test('a call that lacks a secret says which command sets it', async () => {
  expect(await svc('call', 'secretive')).toMatchObject({
    exitCode: 2,
    stderr: 'error  the secret "NOT_SET" is not set\ntry    svc secrets set\n',
  });
});

test('--async prints the id and does not wait', async () => {
  const { stdout, stderr, exitCode } = await svc('call', 'waits', '--async');
  const id = stdout.trim();
  expect(stderr).toBe(`follow  svc logs ${id}\n`);
  expect(exitCode).toBe(0);
  const cancelled = await svc('cancel', id);
  expect(cancelled).toMatchObject({
    exitCode: 0,
    stderr: `cancelling  svc logs ${id} follows it to its end\n`,
  });
  await svc('logs', id);
  expect((await svc('cancel', id)).stderr).toBe(`cancelled  svc logs ${id} has the output\n`);
  expect(JSON.parse((await svc('call', 'say', 'text=x', '--async', '--json')).stdout)).toMatchObject({
    execution_id: expect.any(String),
  });
});

test('--follow --json prints one object per event, and the exit code is that of the command', async () => {
  const { stdout, exitCode } = await svc('call', 'fails', '--follow', '--json');
  expect(exitCode).toBe(3);
  const types = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  expect(types).toEqual(['done']);
});

describe('--dry-run', () => {
  test('shows a member the request and the command, and runs nothing', async () => {
    const before = (await svc('logs', '--json')).stdout;
    const { stdout, exitCode } = await svc('call', 'guarded', 'to=prod', '--dry-run');
    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      `POST   ${world.urlOf('guarded')}\nbody   {"to":"prod"}\nruns   echo prod  (agent default)\nwaits  for approval\n`,
    );
    expect((await svc('logs', '--json')).stdout).toBe(before);
    expect(JSON.parse((await svc('call', 'guarded', 'to=x', '--dry-run', '--json')).stdout)).toMatchObject({
      command: 'echo x',
      approval_required: true,
    });
  });

  test('refuses what the endpoint refuses, and says to a caller that nothing was checked', async () => {
    expect(await svc('call', 'guarded', '--dry-run')).toMatchObject({ exitCode: 2, stdout: '' });
    const { stdout, exitCode } = await runSvc(['call', 'guarded', '--dry-run'], asCaller());
    expect(exitCode).toBe(0);
    expect(stdout).toContain('unchecked  only a member of the workspace can view the endpoint');
  });
});

test('Ctrl-C prints how to continue, on standard error, and leaves the execution running', async () => {
  const child = startSvc(['call', 'waits'], options());
  const stderr = new Response(child.stderr).text();
  await new Lines(child.stdout).find(/started/);
  child.kill('SIGINT');
  expect(await child.exited).toBe(130);
  const [, id = ''] = /^goes on {2}svc logs (\S+)\n$/.exec(await stderr) ?? [];
  const [row = ''] = (await svc('logs', '--endpoint', 'waits', '--status', 'running')).stdout.split('\n');
  expect(row).toStartWith(id);
  await svc('cancel', id);
});

test('a call that waits for approval says so to a person, with the page and without the name of a field', async () => {
  const { stdout, stderr, exitCode } = await svc('call', 'guarded', 'to=x', '--async');
  expect(exitCode).toBe(0);
  const id = stdout.trim();
  expect(stderr).toMatch(
    /^pending {2}waits for approval: a person opens this page and decides within \d+ minutes\napprove {2}http\S+\nfollow {3}svc logs \S+\n$/,
  );
  expect((await svc('cancel', id)).exitCode).toBe(0);
});

describe('svc logs', () => {
  test('shows exit code, duration and caller, and filters by state, endpoint and time', async () => {
    await svc('call', 'fails');
    await runSvc(['call', 'say', 'text=x'], asCaller());
    const { stdout } = await svc('logs', '--limit', '1');
    expect(stdout).toMatch(
      /^\S+ {2}\S+Z {2}succeeded +0 +\d+ms {2}say {2}key "svc up" of operator@localhost\n$/,
    );
    const failed = (
      await svc(
        'logs',
        '--endpoint',
        'fails',
        '--status',
        'failed,timed_out',
        '--since',
        '2026-11-20T00:00:00Z',
      )
    ).stdout;
    expect(failed).toMatch(/^\S+ {2}\S+ {2}failed +3 +\d+ms {2}fails {2}operator@localhost$/m);
    expect((await svc('logs', '--since', '2999-01-01')).stderr).toBe('no executions\n');
    expect(await svc('logs', '--status', 'moon')).toMatchObject({ exitCode: 2 });
    expect((await svc('logs', '--runs', '--endpoint', 'hook', '--limit', '1')).stdout).toContain('  hook\n');
  });

  test('-f lists each execution as it begins and ends', async () => {
    const child = startSvc(['logs', '-f', '--endpoint', 'waits', '--limit', '1'], options());
    const lines = new Lines(child.stdout);
    await lines.find(/waits/);
    const id = (await svc('call', 'waits', '--async')).stdout.trim();
    await lines.find(new RegExp(`^${id} .* running `));
    await svc('cancel', id);
    await lines.find(new RegExp(`^${id} .* cancelled `));
    child.kill('SIGINT');
    await child.exited;
  });
});

test('svc tail prints each line with its endpoint and execution, and only what its filters take', async () => {
  const child = startSvc(['tail', '--endpoint', 'say', '--text', 'NEEDLE'], options());
  const lines = new Lines(child.stdout);
  await new Lines(child.stderr).find(/^waiting for output$/);
  await svc('call', 'get', 'n=needle');
  await svc('call', 'say', 'text=hay');
  await svc('call', 'say', 'text=a needle\u001b]0;title\u0007\rget spoof');
  const first = await lines.find(/./);
  const id = (await svc('logs', '--endpoint', 'say', '--limit', '1')).stdout.split(' ')[0];
  expect(first).toStartWith(`say ${id} | a needle`);
  expect(await lines.find(/spoof/)).toBe(`say ${id} | get spoof`);
  child.kill('SIGINT');
  await child.exited;
});

test('svc tail ends when nobody reads its output any more', async () => {
  const child = startSvc(['tail', '--endpoint', 'say'], options());
  await new Lines(child.stderr).find(/^waiting for output$/);
  await child.stdout.cancel();
  await svc('call', 'say', 'text=one');
  await svc('call', 'say', 'text=two');
  expect(await child.exited).toBe(0);
});

test('svc tail refuses what the service does', async () => {
  expect(await svc('tail', '--text', 'x'.repeat(201))).toMatchObject({ exitCode: 2, stdout: '' });
});

test('--raw-field sends a text as it is, --api-key reads a file, and --callback sets the callback URL', async () => {
  const { apiKey } = world.start;
  await Bun.write(join(world.dataDir, 'key'), `${apiKey}\n`);
  const where = { cwd: world.dataDir, env: { SVC_BASE_URL: world.hub.baseUrl } };
  const say = (...more: string[]) =>
    runSvc(['call', `${world.start.username}/say`, '--api-key', '@key', ...more], where);
  for (const text of ['@key', '@missing', '=x', '@@'])
    expect(await say('--raw-field', `text=${text}`)).toMatchObject({ stdout: `${text}\n`, stderr: '' });
  expect(await say('--raw-field', 'text')).toMatchObject({ exitCode: 2 });
  const refused = await say('--callback', 'http://10.0.0.7/done', 'text=x');
  expect(refused.stderr).toContain('SVC_ALERT_PRIVATE_NETWORKS');
});
