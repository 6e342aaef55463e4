// svc secrets, keys, tokens, endpoints, agents, alerts, team, audit, templates and usage: the real program, a hub and an agent.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { signIn } from '../people.ts';
import { runSvc, svcOnTerminal } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { ScriptedAgent } from '../scripted-agent.ts';

let world: HubWorld;
let agent: RealAgent;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_SCIM_WORKSPACES: '*' } });
  agent = await realAgent(world, [{ name: 'hello', command: 'echo {{name}}', args: [{ name: 'name' }] }]);
  await world.admin((admin) => admin.setPlan(world.start.username, 'team'));
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

function options(env: Record<string, string> = {}) {
  return {
    cwd: world.dataDir,
    env: {
      SVC_BASE_URL: world.hub.baseUrl,
      SVC_ACCESS_TOKEN: world.start.accessToken,
      XDG_CONFIG_HOME: world.dataDir,
      ...env,
    },
  };
}

/** Runs `svc` as a member; fails the test unless it succeeds. */
async function svc(...args: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await runSvc(args, options());
  expect({ args, stderr, exitCode }).toEqual({ args, stderr: '', exitCode: 0 });
  return stdout;
}

async function json(...args: string[]): Promise<Record<string, unknown>[]> {
  const lines = (await svc(...args, '--json')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

async function withInput(input: string, ...args: string[]) {
  const stdin = join(world.dataDir, 'input');
  await Bun.write(stdin, input);
  return await runSvc(args, { ...options(), stdin });
}

describe('svc secrets', () => {
  /** The value as a command gets it, character by character. */
  async function seenBy(secret: string): Promise<string> {
    const name = `see-${secret.toLowerCase()}`;
    await svc('endpoints', 'create', name, `command=printf %s "$svc:${secret}" | od -An -c`);
    return await svc('call', name);
  }

  test('sets a secret from standard input without its last line break, and from a file unchanged', async () => {
    expect(await withInput('s3cret\n\n', 'secrets', 'set', 'PIPED', '-')).toMatchObject({
      stdout: 'PIPED  set\n',
      exitCode: 0,
    });
    expect(await withInput('s3cret\n', 'secrets', 'set', 'UNNAMED')).toMatchObject({ exitCode: 0 });
    await Bun.write(join(world.dataDir, 'key.pem'), 'key\n');
    await svc('secrets', 'set', 'FROM_FILE', '@key.pem', '--agent', 'default');
    expect((await seenBy('PIPED')).trim()).toBe('s   3   c   r   e   t  \\n');
    expect((await seenBy('UNNAMED')).trim()).toBe('s   3   c   r   e   t');
    expect((await seenBy('FROM_FILE')).trim()).toBe('k   e   y  \\n');
    expect(await json('secrets')).toMatchObject([
      { name: 'FROM_FILE', agents: ['default'] },
      { name: 'PIPED', agents: null },
      { name: 'UNNAMED' },
    ]);
    expect(await svc('secrets', 'show', 'FROM_FILE')).toMatch(
      /^FROM_FILE {2}only default {2}set \S+ by operator@localhost\n/,
    );
  });

  test('takes no value from the command line', async () => {
    const { stderr, exitCode } = await runSvc(['secrets', 'set', 'OPEN', 's3cret'], options());
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      'error  the value of a secret cannot be given on the command line, which other users can read\n' +
        'try    use @file, or - for standard input\n',
    );
    expect((await json('secrets')).map(({ name }) => name)).not.toContain('OPEN');
  });

  test('asks on a terminal and does not show what is typed', async () => {
    const shown = await svcOnTerminal(['secrets', 'set', 'TYPED'], options(), 'TYPED  set', {
      after: 'value of TYPED: ',
      typed: 'hiddex\u007fn\r',
    });
    expect(shown).not.toContain('hidde');
    expect((await seenBy('TYPED')).trim()).toBe('h   i   d   d   e   n');
  });

  test('deletes a secret', async () => {
    await withInput('x', 'secrets', 'set', 'GONE', '-');
    expect(await svc('secrets', 'delete', 'GONE')).toBe('GONE  deleted\n');
    expect(await runSvc(['secrets', 'show', 'GONE'], options())).toMatchObject({
      exitCode: 2,
      stderr: 'error  there is no secret "GONE"\ntry    svc secrets\n',
    });
  });
});

describe('svc keys', () => {
  test('creates a key that calls only its endpoints, rotates and revokes it', async () => {
    const first = (await svc('keys', 'create', 'ci', '--endpoint', 'hello', '--expires', '1d')).trim();
    expect(first).toMatch(/^svc_sk_\S+$/);
    const call = (key: string, slug = 'hello') =>
      world.call(slug, { headers: { 'x-api-key': key } }).then(({ status }) => status);
    expect(await call(first)).toBe(200);
    expect(await call(first, 'other')).toBe(404);
    expect(await json('keys', 'show', 'ci')).toMatchObject([{ name: 'ci', endpoints: ['hello'] }]);
    const second = (await svc('keys', 'rotate', 'ci', '--overlap', '1h')).trim();
    expect(second).not.toBe(first);
    expect([await call(first), await call(second)]).toEqual([200, 200]);
    expect(await svc('keys', 'revoke', 'ci')).toBe('ci  revoked\n');
    expect([await call(first), await call(second)]).toEqual([401, 401]);
    expect(await svc('keys')).toMatch(/^ci .* revoked /m);
  });

  test('asks for an id where a name stands for several keys, and says which name is unknown', async () => {
    await svc('keys', 'create', 'twin');
    const [{ id } = {}] = await json('keys', 'create', 'twin');
    const several = await runSvc(['keys', 'revoke', 'twin'], options());
    expect(several.stderr).toContain('error  several are named "twin": give the id of one\n');
    await svc('keys', 'revoke', String(id));
    expect((await runSvc(['keys', 'revoke', 'nothing'], options())).stderr).toBe(
      'error  there is no API key "nothing"\n',
    );
  });
});

test('svc tokens creates an agent token that connects, and revokes it', async () => {
  const token = (
    await svc('tokens', 'create', 'build server', '--agent', 'build-1', 'build-2', '--pool')
  ).trim();
  await using connected = await ScriptedAgent.connect({
    hubUrl: world.hub.hubUrl,
    token,
    name: 'build-1',
    endpoints: [],
  });
  expect(connected).toBeDefined();
  expect(await json('tokens', 'show', 'build server')).toMatchObject([
    { agent_names: ['build-1', 'build-2'], pool: true },
  ]);
  expect(await svc('tokens', 'revoke', 'build server')).toBe('build server  revoked\n');
  expect(await svc('tokens')).toMatch(/^build server .* revoked /m);
});

test('svc agents lists agents and shows one with its endpoints', async () => {
  expect(await svc('agents')).toMatch(/^default +online /m);
  expect(await svc('agents', 'show', 'default')).toContain('hello');
  expect(await runSvc(['agents', 'show', 'none'], options())).toMatchObject({ exitCode: 2 });
});

describe('svc endpoints', () => {
  test('creates an endpoint with typed fields, changes it, rolls it back and deletes it', async () => {
    await svc(
      'endpoints',
      'create',
      'greet',
      'command=echo one {{who}}',
      'timeout:=10',
      'args:=[{"name":"who"}]',
    );
    expect(await svc('call', 'greet', 'who=Ada')).toBe('one Ada\n');
    await svc('endpoints', 'change', 'greet', 'command=echo two', 'args:=[]', 'description=second');
    expect(await svc('call', 'greet')).toBe('two\n');
    expect(await svc('endpoints', 'versions', 'greet')).toMatch(/^2 .*echo two\n1 .*echo one/);
    expect(await svc('endpoints', 'rollback', 'greet')).toBe(
      'greet  is as in version 1 again, now version 3\n',
    );
    expect(await svc('call', 'greet', 'who=Bo')).toBe('one Bo\n');
    expect(await json('endpoints', 'show', 'greet')).toMatchObject([
      { description: null, timeout: 10, version: 3 },
    ]);
    await svc('endpoints', 'rollback', 'greet', '2');
    expect(await svc('call', 'greet')).toBe('two\n');
    const stale = await runSvc(
      ['endpoints', 'change', 'greet', 'timeout:=5', '--if-version', '1'],
      options(),
    );
    expect(stale).toMatchObject({ exitCode: 2 });
    expect(await svc('endpoints', 'delete', 'greet')).toBe('greet  deleted\n');
    expect((await runSvc(['endpoints', 'show', 'greet'], options())).exitCode).toBe(2);
  });

  test('overrides an endpoint of a file, and rolls only the override back', async () => {
    await svc('endpoints', 'change', 'hello', 'timeout:=7');
    expect(await svc('endpoints', 'show', 'hello')).toContain('override timeout: 7');
    await svc('endpoints', 'rollback', 'hello');
    expect(await json('endpoints', 'show', 'hello')).toMatchObject([{ overrides: {} }]);
    const none = await runSvc(['endpoints', 'rollback', 'hello', '99'], options());
    expect(none.stderr).toBe('error  hello has no version 99\ntry    svc endpoints versions hello\n');
  });

  test('names each wrong field', async () => {
    const { stderr, exitCode } = await runSvc(
      ['endpoints', 'create', 'bad', 'command=x', 'timeout=soon'],
      options(),
    );
    expect(exitCode).toBe(2);
    expect(stderr).toContain('timeout');
    expect((await runSvc(['endpoints', 'create', 'bad', 'args:=[oops'], options())).stderr).toContain(
      'expected JSON in args',
    );
  });
});

test('svc alerts creates, changes, tests and deletes a rule; a URL never stands on the command line', async () => {
  await svc('alerts', 'create', 'on call', '--event', 'execution.failed', '--target', 'operator@localhost');
  expect(await svc('alerts')).toMatch(/^on call {2}email .*execution\.failed/);
  const url = ['alerts', 'create', 'hook', '--event', 'execution.failed', '--target'];
  const open = await runSvc([...url, 'https://hooks.example.com/x'], options());
  expect(open.stderr).toContain('the URL of an alert cannot be given on the command line');
  const made = await withInput('https://hooks.example.com/x\n', ...url, '-');
  expect(made.stdout).toMatch(/^whsec_\S+\n$/);
  expect(await svc('alerts', 'rotate', 'hook')).toMatch(/^whsec_\S+\n$/);
  expect(await svc('alerts', 'change', 'hook', '--disable', '--endpoint', 'hello')).toContain('disabled');
  expect(await json('alerts', 'change', 'hook', '--enable', '--endpoint', '')).toMatchObject([
    { enabled: true, endpoint: null },
  ]);
  // Its output can be run: a name with a space would be two arguments.
  const [, ...printed] =
    /svc (alerts deliveries .*)/.exec(await svc('alerts', 'test', 'on call'))?.[1]?.split(' ') ?? [];
  expect(await svc('alerts', ...printed)).toContain('test');
  expect(await svc('alerts', 'delete', 'hook')).toBe('hook  deleted\n');
  expect(await json('alerts')).toHaveLength(1);
});

test('svc team invites, lists, sends again and withdraws', async () => {
  expect(await svc('team', 'invite', 'lin@example.com', '--role', 'admin')).toMatch(
    /^lin@example.com {2}admin /,
  );
  expect(await json('team', 'invites')).toMatchObject([{ email: 'lin@example.com', status: 'pending' }]);
  expect(await svc('team', 'withdraw', 'lin@example.com')).toContain('invitation withdrawn');
  expect((await runSvc(['team'], options())).stderr).toBe('no members besides the owner\n');
  expect((await runSvc(['team', 'remove', 'lin@example.com'], options())).stderr).toBe(
    'error  there is no member "lin@example.com"\n',
  );
});

test('svc team ownership shows the owner and the pending offer of ownership', async () => {
  await new Approvals(world).member('noa@example.com');
  const owner = await signIn(world, 'operator@localhost');
  expect(await svc('team', 'ownership')).toMatch(/^owner {4}operator@localhost {2}\S{36}\noffered {2}no\n$/);
  const [noa] = (
    (await owner.ask('GET', '/team/members')).body.items as { id: string; email: string }[]
  ).filter(({ email }) => email === 'noa@example.com');
  await owner.ask('PUT', '/team/ownership/offer', { body: { member: noa?.id } });
  expect(await svc('team', 'ownership')).toMatch(/\noffered {2}to noa@example\.com {2}until \S+\n$/);
  await owner.ask('DELETE', '/team/ownership/offer');
  await svc('team', 'remove', 'noa@example.com');
});

test('svc scim shows the address, creates the token of the provider once, and removes it', async () => {
  expect(await svc('scim')).toMatch(
    /^address {2}http\S+\/scim\/v2\ntoken {4}none\nusers {4}0, 0 of them in the team\n/,
  );
  const token = (await svc('scim', 'token', '--default-role', 'viewer')).trim();
  expect(token).toMatch(/^svc_scim_\S+$/);
  expect(await svc('scim')).toContain(`…${token.slice(-4)}  default role viewer  last used never`);
  expect((await runSvc(['scim', 'token', '--default-role', 'owner'], options())).stderr).toContain(
    'one of member, viewer',
  );
  expect(await svc('scim', 'remove')).toContain('removed');
  expect((await runSvc(['scim', 'remove'], options())).stderr).toContain('has no token for SCIM');
});

test('svc workspace lists and creates', async () => {
  expect(await svc('workspace', 'create', 'second-one')).toMatch(
    /^second-one {2}owner {2}unlimited {2}\S{36}\n$/,
  );
  expect(await json('workspace')).toMatchObject([
    { username: 'local', role: 'owner' },
    { username: 'second-one', role: 'owner' },
  ]);
  expect((await runSvc(['workspace', 'create', 'second-one'], options())).stderr).toContain(
    '"second-one" is taken',
  );
});

test('svc audit lists what was done, by action and time, and shows one entry', async () => {
  await svc('keys', 'create', 'audited');
  const [entry] = await json(
    'audit',
    '--action',
    'api_key.made',
    '--since',
    '2026-11-20T00:00:00Z',
    '--limit',
    '1',
  );
  expect(entry).toMatchObject({ target: { name: 'audited' } });
  expect(await svc('audit', 'show', String(entry?.seq))).toContain('(audited)');
  expect((await runSvc(['audit', '--since', 'noon'], options())).stderr).toContain(
    'expected a duration such as 12h',
  );
});

test('svc templates searches, shows a file and imports it', async () => {
  expect(await svc('templates', '--search', 'disk usage')).toMatch(/^disk-usage /m);
  expect(await svc('templates', 'show', 'disk-usage')).toContain('version: 1');
  expect(await svc('templates', 'import', 'disk-usage')).toMatch(/^disk-usage +http/);
  expect(await svc('templates', 'import', 'disk-usage')).toContain('skipped: the name is taken');
});

describe('svc grants', () => {
  const session = async (method: string, path: string, body: object) =>
    await (await signIn(world, 'operator@localhost')).ask(method, path, { body });

  test('adds, lists and removes grants, and lists the rights in effect', async () => {
    await new Approvals(world).member('mia@example.com');
    expect((await session('POST', '/service-accounts', { name: 'ci', role: 'viewer' })).status).toBe(201);
    expect((await runSvc(['grants'], options())).stderr).toBe('no grants\n');
    const member = await svc(
      'grants',
      'add',
      'hel*',
      'tag:reports',
      '--member',
      'mia@example.com',
      '--can',
      'run',
    );
    expect(member).toMatch(/^mia@example\.com {2}run {2}hel\*, tag:reports {2}\S{36}\n$/);
    await svc('grants', 'add', 'hello', '--service-account', 'ci', '--can', 'view', 'edit');
    await svc('grants', 'add', 'hello', '--group', 'platform');
    const made = await json('grants', 'list');
    expect(made).toMatchObject([
      { grantee_kind: 'member', name: 'mia@example.com', endpoints: ['hel*', 'tag:reports'], can: ['run'] },
      { grantee_kind: 'service_account', name: 'ci', can: ['view', 'edit'] },
      { grantee_kind: 'group', name: 'platform', can: ['view'] },
    ]);
    expect(await svc('grants', 'access')).toBe('access  all\n');
    expect(await json('grants', 'access', 'by_grants')).toEqual([{ access: 'by_grants' }]);
    expect(await json('grants', 'rights', '--member', 'mia@example.com')).toEqual([
      { endpoint: 'hello', can: ['view', 'run'] },
    ]);
    expect(await svc('grants', 'rights', '--service-account', 'ci')).toBe('hello  view, edit\n');
    const [first] = made;
    expect(await svc('grants', 'remove', String(first?.id))).toContain('withdrawn');
    expect((await runSvc(['grants', 'rights', '--member', 'mia@example.com'], options())).stderr).toBe(
      'no endpoints\n',
    );
    await svc('grants', 'access', 'all');
  });

  test('refuses a grant for nobody, for two, and for somebody unknown', async () => {
    const refused = async (...args: string[]) => {
      const { exitCode, stderr } = await runSvc(['grants', 'add', 'hello', ...args], options());
      expect(exitCode).toBe(2);
      return stderr;
    };
    expect(await refused()).toContain('give exactly one of --member, --group and --service-account');
    expect(await refused('--group', 'a', '--member', 'b')).toContain('give exactly one of');
    expect(await refused('--member', 'nobody@example.com')).toContain(
      'there is no member "nobody@example.com"',
    );
    expect(await refused('--group', 'a', '--can', 'fly')).toContain('view, run, approve, edit');
  });
});

test('svc usage shows the plan', async () => {
  expect(await svc('usage')).toMatch(/^plan +team, \d{4}-\d{2}, /);
  expect(await json('usage')).toMatchObject([{ plan: 'team' }]);
});

describe('errors with --json', () => {
  test('a refusal of the service is one JSON line on standard error, with its code and status', async () => {
    const ran = await runSvc(['endpoints', 'show', 'nothing', '--json'], options());
    expect([ran.exitCode, ran.stdout, JSON.parse(ran.stderr)]).toEqual([
      2,
      '',
      { error: 'there is no such endpoint', code: 'not_found', status: 404 },
    ]);
  });

  test('so are a wrong option, a missing sign-in and a hub that does not answer', async () => {
    const error = async (args: string[], env: Record<string, string> = {}) =>
      JSON.parse((await runSvc(args, options(env))).stderr);
    expect(await error(['keys', '--jsn', '--json'])).toMatchObject({
      code: 'usage',
      try: 'svc keys list --help',
    });
    expect(await error(['keys', '--json'], { SVC_ACCESS_TOKEN: '' })).toMatchObject({
      code: 'not_signed_in',
    });
    expect(await error(['keys', '--json'], { SVC_BASE_URL: 'http://127.0.0.1:9' })).toMatchObject({
      code: 'no_response',
    });
    expect(await error(['call', 'nothing', '--json'])).toMatchObject({ code: 'not_found', status: 404 });
  });
});

describe('SVC_ACCESS_TOKEN', () => {
  test.each([['approvals'], ['schedules'], ['pipelines'], ['secrets'], ['logs']])(
    'works for svc %s',
    async (name) => {
      const { exitCode } = await runSvc([name], options());
      expect(exitCode).toBe(0);
    },
  );

  test('calls an endpoint of its own workspace by its name alone', async () => {
    expect(await svc('call', 'hello', 'name=Ada')).toBe('Ada\n');
  });
});

describe('svc context', () => {
  test('switches between services, for one command or from now on', async () => {
    const env = { XDG_CONFIG_HOME: join(world.dataDir, 'contexts'), SVC_BASE_URL: '' };
    const context = (...args: string[]) => runSvc(args, options(env));
    await context('context', 'add', 'away', 'http://127.0.0.1:9');
    await context('context', 'add', 'here', world.hub.baseUrl);
    expect((await context('context')).stdout).toBe(
      `* away  http://127.0.0.1:9\n  here  ${world.hub.baseUrl}\n`,
    );
    expect((await context('usage')).stderr).toContain('no response from http://127.0.0.1:9');
    expect((await context('usage', '--context', 'here')).exitCode).toBe(0);
    expect((await runSvc(['usage'], options({ ...env, SVC_CONTEXT: 'here' }))).exitCode).toBe(0);
    await context('context', 'use', 'here');
    expect((await context('usage')).exitCode).toBe(0);
    expect((await context('context', 'show')).stdout).toContain('operator@localhost');
    await context('context', 'delete', 'here');
    expect((await context('usage', '--context', 'here')).stderr).toBe(
      'error  there is no context "here"\ntry    svc context\n',
    );
  });
});
