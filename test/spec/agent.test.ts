// `svc agent`, against a hub that the test plays: what it prints, how it stops, what it refuses.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { formToken } from '@svc/core/token/token';
import { AgentProgram } from '../agent-program.ts';
import { configText } from '../config-text.ts';
import { runSvc } from '../program.ts';

setDefaultTimeout(60_000);

const HELLO = { name: 'hello', command: 'echo hello' };
const GATED = { name: 'gated', command: 'echo begun; while [ ! -e go ]; do sleep 0.01; done; echo over' };

let program: AgentProgram;
beforeEach(async () => {
  program = await AgentProgram.make([HELLO, GATED]);
});
afterEach(async () => {
  expect(program.printed).not.toContain(program.token);
  await program[Symbol.asyncDispose]();
});

/** Runs `svc agent` to its end, with this environment and nothing more that a token could come from. */
const agent = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runSvc(['agent', '--state-dir', program.path('state'), ...args], { cwd: program.folder, env });

const BAD_URL = { SVC_BASE_URL: 'http://127.0.0.1:1' };

describe('bad input ends it with 2 and a message', () => {
  test.each([
    ['no token', [], {}, 'the agent needs a token'],
    ['an API key', [], { SVC_TOKEN: formToken('api_key', randomBytes(32)) }, 'SVC_TOKEN is an API key'],
    [
      'a typing error',
      [],
      { SVC_TOKEN: `${formToken('agent_token', randomBytes(32))}x` },
      'SVC_TOKEN is not an agent token',
    ],
    ['rubbish', ['--token', 'abc'], {}, '--token is not an agent token'],
    ['a name', ['--name', 'a b'], {}, 'Expected up to 64 letters'],
    ['an address', ['--base-url', 'svc.example.com'], {}, '--base-url is not the address of a hub'],
    ['another address', [], { SVC_BASE_URL: 'ftp://x' }, 'SVC_BASE_URL is not the address of a hub'],
    ['a file', ['--config', 'none.yaml'], {}, 'none.yaml does not exist'],
  ])('%s', async (_, args, env, message) => {
    const { exitCode, stderr, stdout } = await agent(args, env);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    for (const secret of Object.values(env))
      if (secret.startsWith('svc_')) expect(stderr).not.toContain(secret);
  });

  test('a file with problems, each with its place', async () => {
    await program.write('version: 1\nendpoints:\n  - name: x\n    comand: ls\n');
    const { exitCode, stderr } = await agent([], { SVC_TOKEN: program.token });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('svc.yaml:4:5: unknown key "comand": did you mean "command"?');
  });

  test('a state folder that cannot be used', async () => {
    writeFileSync(program.path('state'), '');
    const { exitCode, stderr } = await agent([], { SVC_TOKEN: program.token, ...BAD_URL });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('cannot keep its journal');
    expect(stderr).toContain('--state-dir');
  });
});

describe('its output', () => {
  test('where it is registered, what was refused, and other warnings', async () => {
    const { hub } = program;
    hub.welcome = (hello) => ({
      ...hub.welcomeTo(hello),
      registered: [{ name: 'hello', url: 'https://svc.example.com/v1/ada/hello' }],
      refused: [{ name: 'gated', reason: 'agent "other" registered it first' }],
      warnings: [
        'the schedule of "hello" is ignored: the plan has no schedules',
        'control \u001b[2J characters',
      ],
    });
    const process = await program.connect(['--name', 'build']);
    await process.stdout.find(/characters/);
    expect(process.stdout.text.split('\n').slice(1)).toEqual([
      'online   connected as agent "build"',
      'hello    https://svc.example.com/v1/ada/hello',
      'WARNING  "gated" not registered: agent "other" registered it first',
      'WARNING  the schedule of "hello" is ignored: the plan has no schedules',
      'WARNING  control \ufffd[2J characters',
    ]);
    hub.cut();
    await hub.greeted(2);
    await process.stdout.find(/hub unreachable: the connection broke off/);
    await hub.ended(hub.run('hello'));
    process.signal('SIGTERM');
    await process.stdout.find(/nothing more/).catch(() => {});
    // The same again is not worth the same lines again.
    expect(process.stdout.text.match(/v1\/ada\/hello/g)).toHaveLength(1);
    expect(process.stdout.text.match(/connected as/g)).toHaveLength(2);
  });

  test('one line of JSON for each event, for programs', async () => {
    const process = await program.connect(['--json']);
    const line = await process.stdout.find(/connected/);
    expect(JSON.parse(line)).toEqual({
      event: 'connected',
      hub: 'scripted',
      registered: ['hello', 'gated'].map((name) => ({ name, url: `${program.hub.url.href}v1/ada/${name}` })),
      refused: [],
      warnings: [],
    });
  });

  test('once that there is no hub, and that there is one again', async () => {
    const process = program.start([], BAD_URL);
    const line = await process.stdout.find(/hub unreachable/);
    expect(line).toMatch(/^WARNING {2}hub unreachable: failed to connect; retrying in \d\.\d s/);
  });

  test('a warning when others on the way can read the token', async () => {
    const process = program.start([], { SVC_BASE_URL: 'http://hub.invalid' });
    expect(await process.stdout.find(/plain http/)).toContain('http://hub.invalid');
  });
});

describe('a hub that refuses it', () => {
  test.each([
    ['unauthorized', 'the token was revoked', 'SVC_TOKEN'],
    ['name_refused', 'another token has the name', '--name'],
    ['displaced', 'a newer connection', 'state folder'],
    ['version', 'version 9 is needed', 'svc version of the hub'],
  ] as const)('for good, as %s, ends it with 2 and says what to do', async (reason, text, tip) => {
    const { hub } = program;
    hub.welcome = () => {
      hub.closeWith(reason, text);
      return undefined;
    };
    const { exitCode, stderr } = await agent([], { SVC_TOKEN: program.token, SVC_BASE_URL: hub.url.href });
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`the hub does not accept this agent: ${text}`);
    expect(stderr).toContain(tip);
  });

  test('before the connection ends it as well', async () => {
    program.hub.refuseUpgrade = () => new Response('no', { status: 401 });
    const { exitCode, stderr } = await agent([], {
      SVC_TOKEN: program.token,
      SVC_BASE_URL: program.hub.url.href,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('it answered with status 401');
  });

  test('after it had been connected ends it with 1, when what runs has ended', async () => {
    const { hub } = program;
    const process = await program.connect();
    const id = hub.run('gated');
    await hub.until(() => hub.record(id).output === 'begun\n');
    hub.closeWith('unauthorized', 'the token was revoked');
    await process.stderr.find(/1 command may finish/);
    await Bun.write(program.path('go'), '');
    expect(await process.exited).toBe(1);
    expect(process.stderr.text).toContain('the token was revoked');
    // Reports that it could not send are in the journal, for the next agent.
    await program.connect();
    const record = await hub.ended(id);
    expect(record.output).toBe('begun\nover\n');
    expect(record.ending).toMatchObject({ kind: 'exited', exit_code: 0 });
  });
});

describe('a signal', () => {
  test('lets running executions finish and be reported; nothing new is begun', async () => {
    const { hub } = program;
    const process = await program.connect();
    const id = hub.run('gated');
    await hub.until(() => hub.record(id).output === 'begun\n');
    process.signal('SIGTERM');
    await hub.until(() => hub.hasAnsweredLeaving);
    const refused = await hub.ended(hub.run('hello'));
    expect(refused.ending).toMatchObject({ kind: 'refused', reason: 'leaving' });
    await Bun.write(program.path('go'), '');
    expect((await hub.ended(id)).output).toBe('begun\nover\n');
    expect(await process.exited).toBe(0);
    expect(await hub.until(() => hub.closes[0])).toMatchObject({ code: 1000 });
  });

  test('is reported to a hub that comes back meanwhile', async () => {
    const { hub } = program;
    const process = await program.connect();
    const id = hub.run('gated');
    await hub.until(() => hub.record(id).output === 'begun\n');
    process.signal('SIGTERM');
    const leavings = () => hub.received.filter(({ type }) => type === 'leaving').length;
    await hub.until(() => leavings() === 1);
    hub.cut();
    await hub.until(() => leavings() === 2);
    await Bun.write(program.path('go'), '');
    expect(await process.exited).toBe(0);
    expect((await hub.ended(id)).ending).toMatchObject({ kind: 'exited' });
  });

  test('that is repeated does not wait for running executions', async () => {
    const { hub } = program;
    const process = await program.connect();
    const id = hub.run('gated');
    await hub.until(() => hub.record(id).output === 'begun\n');
    process.signal('SIGINT');
    await process.stderr.find(/a second signal ends them now/);
    process.signal('SIGINT');
    expect(await process.exited).toBe(0);
    expect((await hub.ended(id)).ending).toMatchObject({ kind: 'cancelled' });
  });

  test('ends it though the hub never acknowledges, and the next agent reports the execution', async () => {
    const { hub } = program;
    hub.acknowledgesEnds = false;
    const process = await program.connect();
    const id = hub.run('hello');
    await hub.ended(id);
    process.signal('SIGTERM');
    await hub.until(() => hub.received.some(({ type }) => type === 'leaving'));
    process.signal('SIGTERM');
    expect(await process.exited).toBe(0);
    await program.connect();
    await hub.until(() => hub.record(id).ends.length === 2);
  });

  test('stops one that has never found a hub', async () => {
    const process = program.start([], BAD_URL);
    await process.stdout.find(/hub unreachable/);
    process.signal('SIGTERM');
    expect(await process.exited).toBe(0);
  });
});

describe('the file', () => {
  const changed = configText([HELLO, { name: 'new', command: 'echo new' }]);

  test.each([
    ['written', () => writeFileSync(program.path('svc.yaml'), changed)],
    [
      'replaced, as editors do',
      () => {
        writeFileSync(program.path('.svc.yaml.swp'), changed);
        renameSync(program.path('.svc.yaml.swp'), program.path('svc.yaml'));
      },
    ],
    [
      'removed and made again',
      () => {
        rmSync(program.path('svc.yaml'));
        writeFileSync(program.path('svc.yaml'), changed);
      },
    ],
  ])('is registered again when it is %s', async (_, change) => {
    const { hub } = program;
    const process = await program.connect();
    change();
    await hub.until(() => hub.announced.some(({ name }) => name === 'new'));
    expect((await hub.ended(hub.run('new'))).output).toBe('new\n');
    await process.stdout.find(/svc\.yaml changed: 2 endpoints/);
    await process.stdout.find(/^new +http/);
    const gone = await hub.ended(hub.run('gated', { hash: 'a'.repeat(64) }));
    expect(gone.ending).toMatchObject({ kind: 'refused', reason: 'unknown_definition' });
  });

  test('may be a link to a file that is replaced, as with mounted configuration', async () => {
    const { hub } = program;
    for (const [folder, text] of [
      ['one', configText([HELLO])],
      ['two', changed],
    ] as const) {
      mkdirSync(program.path(folder));
      writeFileSync(program.path(`${folder}/svc.yaml`), text);
    }
    symlinkSync('one', program.path('data'));
    rmSync(program.path('svc.yaml'));
    symlinkSync('data/svc.yaml', program.path('svc.yaml'));
    await program.connect();
    symlinkSync('two', program.path('data.new'));
    renameSync(program.path('data.new'), program.path('data'));
    await hub.until(() => hub.announced.some(({ name }) => name === 'new'));
  });

  test('with problems is refused whole, and what was registered stays', async () => {
    const { hub } = program;
    const process = await program.connect();
    await program.write(
      'version: 1\nendpoints:\n  - name: hello\n    command: echo `id {{x}}\n    timeout: 0\n',
    );
    await process.stdout.find(/svc\.yaml:5:14: timeout 0/);
    await process.stdout.find(/svc\.yaml was not applied/);
    expect((await hub.ended(hub.run('hello'))).output).toBe('hello\n');
    expect(hub.received.filter(({ type }) => type === 'config')).toEqual([]);
    await program.write(changed);
    await hub.until(() => hub.announced.some(({ name }) => name === 'new'));
  });

  test('that is deleted changes nothing', async () => {
    const { hub } = program;
    const process = await program.connect();
    rmSync(program.path('svc.yaml'));
    await process.stdout.find(/svc\.yaml does not exist/);
    expect((await hub.ended(hub.run('hello'))).output).toBe('hello\n');
  });

  test('that changes while there is no hub is registered with the next hello', async () => {
    const { hub } = program;
    hub.refuseUpgrade = () => new Response(null, { status: 503 });
    const process = program.start();
    await process.stdout.find(/hub unreachable/);
    await program.write(changed);
    await process.stdout.find(/ changed: /);
    hub.refuseUpgrade = () => undefined;
    const hello = await hub.greeted();
    expect(hello.endpoints.map(({ name }) => name)).toEqual(['hello', 'new']);
    expect(hub.received.filter(({ type }) => type === 'config')).toEqual([]);
  });
});

test('two agents of one name and folder are two instances, and each reconnects as itself', async () => {
  const { hub } = program;
  const first = await program.connect();
  const second = await program.connect();
  const [one, two] = hub.hellos.map(({ instance }) => instance);
  expect(one).not.toBe(two);
  await first.kill();
  await program.connect();
  expect(hub.hellos[2]?.instance).toBe(one);
  await second.kill();
  await program.connect(['--name', 'other']);
  expect([one, two]).not.toContain(hub.hellos[3]?.instance);
});

test('--local-only is reported to the hub, and its commands stay out', async () => {
  const { hub } = program;
  await program.connect(['--local-only']);
  expect(hub.hellos[0]?.local_only).toBe(true);
  const definition = { name: 'api', command: 'touch ran' };
  const record = await hub.ended(hub.run('api', { definition }));
  expect(record.ending).toMatchObject({ kind: 'refused', reason: 'local_only' });
});

test('no command sees the token', async () => {
  await program.write(configText([{ name: 'env', command: 'env' }]));
  const { hub } = program;
  await program.connect([], { MINE: 'yes' });
  const { output } = await hub.ended(hub.run('env'));
  expect(output).toContain('MINE=yes\n');
  expect(output).not.toContain('svc_at_');
});
