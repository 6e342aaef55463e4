// How `svc serve` starts, and every way in which it does not: reference 4.6, decision 51, the standalone server, and
// decision 53, the program.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AS_NOBODY } from '../as-nobody.ts';
import { configText } from '../config-text.ts';
import { Lines } from '../lines.ts';
import { type ProgramOptions, runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { withoutComments } from '../without-comments.ts';
import { serveWorld } from '../world.ts';

const HELLO = { name: 'hello', command: 'echo hi' };
const LISTEN = ['--host', '127.0.0.1', '--port', '0'];
let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  writeFileSync(join(folder.path, 'svc.yaml'), configText([HELLO]));
  writeFileSync(join(folder.path, 'health.yaml'), configText([HELLO, { name: 'health', command: 'true' }]));
  writeFileSync(join(folder.path, 'binary.yaml'), Uint8Array.of(0, 1, 2, 0xff));
  writeFileSync(join(folder.path, 'empty.yaml'), '');
  writeFileSync(join(folder.path, 'large.yaml'), '#'.repeat(2 * 1024 * 1024));
  writeFileSync(
    join(folder.path, 'wrong.yaml'),
    'version: 1\nendpoints:\n  - name: Hello\n    command: echo hi\n    tiemout: 5\n  - name: x\n',
  );
  mkdirSync(join(folder.path, 'locked'), { mode: 0o000 });
  writeFileSync(join(folder.path, 'forbidden.yaml'), configText([HELLO]), { mode: 0o000 });
});
afterAll(async () => {
  // Else only root may remove it.
  chmodSync(join(folder.path, 'locked'), 0o700);
  await folder[Symbol.asyncDispose]();
});

/** The number of lines of an error message; there is no other output. */
async function refusal(args: readonly string[], options: Partial<ProgramOptions> = {}): Promise<string[]> {
  const { exitCode, stdout, stderr } = await runSvc(args, { cwd: folder.path, ...options });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).not.toMatch(/\n\s+at |Error:/);
  return stderr.trimEnd().split('\n');
}

describe('bad input is reported in one message, with exit code 2', () => {
  const table: [what: string, args: string[], message: (string | RegExp)[]][] = [
    [
      'a config file that is not there',
      ['-c', 'no.yaml'],
      ['error  no.yaml does not exist', 'try    svc init --config no.yaml'],
    ],
    [
      'a config file in a folder that is not there',
      ['-c', 'no/svc.yaml'],
      [/^error {2}no\/svc.yaml does not exist$/, /^try/],
    ],
    ['a folder instead of a config file', ['-c', '.'], ['error  . is a folder, not a config file']],
    ['an empty config file', ['-c', 'empty.yaml'], [/^empty.yaml:1:1: /, 'error  1 problem in empty.yaml']],
    ['a binary file', ['-c', 'binary.yaml'], [/^binary.yaml:1:1: /, 'error  1 problem in binary.yaml']],
    [
      'a file that is too large',
      ['-c', 'large.yaml'],
      [/^large.yaml:1:1: the file is larger than 1048576 bytes$/, 'error  1 problem in large.yaml'],
    ],
    [
      'a file with problems',
      ['-c', 'wrong.yaml'],
      [
        /^wrong.yaml:3:11: .*"Hello"/,
        /^wrong.yaml:5:5: .*"tiemout".*did you mean "timeout"/,
        /^wrong.yaml:6:5: .*command/,
        'error  3 problems in wrong.yaml',
      ],
    ],
    [
      'an endpoint whose path is taken',
      ['-c', 'health.yaml'],
      [/^health.yaml:\d+:\d+: .*"health".*taken/, 'error  1 problem in health.yaml'],
    ],
    [
      'an address of another machine',
      ['--host', '203.0.113.1'],
      ['error  "203.0.113.1" is no address of this machine'],
    ],
    [
      'no address',
      ['--host', ''],
      [
        /^error {2}option '--host <address>' argument '' is invalid\. Expected an address/,
        'try    svc serve --help',
      ],
    ],
    [
      'no port',
      ['--port', 'http'],
      [
        /^error {2}option '-p, --port <port>' argument 'http' is invalid\. Expected a port from 0 to 65535$/,
        'try    svc serve --help',
      ],
    ],
    ['a port too high', ['-p', '65536'], [/argument '65536' is invalid/, /^try/]],
    ['a negative port', ['--port=-1'], [/argument '-1' is invalid/, /^try/]],
    [
      'a URL as --allow-host',
      ['--allow-host', 'http://a'],
      [/Expected a host name without scheme and port/, /^try/],
    ],
    ['a grace that is no number', ['--grace', 'soon'], [/Expected seconds from 0 to 86400/, /^try/]],
    [
      'an unknown option',
      ['--prot', '1'],
      ["error  unknown option '--prot': did you mean --port?", 'try    svc serve --help'],
    ],
    ['a word too many', ['svc.yaml'], [/too many arguments for 'serve'/, /^try/]],
    ['an option without its value', ['--config'], [/option '-c, --config <file>' argument missing/, /^try/]],
  ];
  test.each(table)('%s', async (_, args, message) => {
    const lines = await refusal(['serve', ...args]);
    expect(lines).toEqual(
      message.map((line) => (typeof line === 'string' ? line : expect.stringMatching(line))),
    );
  });

  test('SVC_PORT that is no port', async () => {
    expect(await refusal(['serve'], { env: { SVC_PORT: '80a' } })).toEqual([
      'error  SVC_PORT is "80a": expected a port from 0 to 65535',
    ]);
  });

  test('a port that another server has', async () => {
    await using world = await serveWorld([HELLO]);
    expect(await refusal(['serve', '--host', '127.0.0.1', '--port', `${world.port}`])).toEqual([
      `error  port ${world.port} is in use on 127.0.0.1`,
      'try    svc serve --port 0 picks a free port',
    ]);
  });

  test.each(['forbidden.yaml', 'locked/svc.yaml'])('%s, which this user may not read', async (path) => {
    const options = { cwd: '/', wrapper: AS_NOBODY };
    const file = join(folder.path, path);
    expect(await refusal(['serve', '--config', file], options)).toEqual([
      `error  ${file} may not be read by this user`,
    ]);
  });

  test('an unknown subcommand', async () => {
    expect(await refusal(['sevre'])).toEqual([
      "error  unknown command 'sevre': did you mean serve?",
      'try    svc --help',
    ]);
  });
});

describe('when it is ready', () => {
  /** Starts it as people do, and reads until its last line. */
  async function start(args: readonly string[], endpoints = [HELLO], env = {}) {
    const home = await temporaryFolder();
    writeFileSync(join(home.path, 'svc.yaml'), configText(endpoints));
    const child = startSvc(['serve', ...args], { cwd: home.path, env });
    const stdout = new Lines(child.stdout);
    await stdout.find(/^stop/);
    return {
      text: stdout.text,
      url: /http:\/\/\S+:\d+/.exec(stdout.text)?.[0] ?? '',
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL');
        await child.exited;
        await home[Symbol.asyncDispose]();
      },
    };
  }

  test('it lists each endpoint with method and URL, and a curl line', async () => {
    await using started = await start(LISTEN, [
      HELLO,
      {
        name: 'log',
        command: 'echo {{message}}',
        method: 'POST',
        description: 'Logs\nmore',
        args: [{ name: 'message' }],
      } as never,
    ]);
    const { text, url } = started;
    expect(text.split('\n')).toEqual([
      expect.stringMatching(/^svc \d+\.\d+\.\d+ {2}serves svc\.yaml at http:\/\/127\.0\.0\.1:\d+$/),
      `GET|POST   ${url}/hello`,
      `POST       ${url}/log    Logs`,
      `try        curl -N ${url}/hello`,
      'stop       Ctrl-C',
    ]);
  });

  const samples: [what: string, endpoint: Record<string, unknown>, printed: string][] = [
    ['by GET', { command: 'echo hi' }, 'hi'],
    [
      'by GET with values',
      {
        command: 'echo {{a}} {{b}}',
        args: [
          { name: 'a', required: true },
          { name: 'b', required: true, choices: ['x y', 'z'] },
        ],
      },
      'hello x y',
    ],
    ['by POST', { command: 'echo hi', method: 'POST' }, 'hi'],
    [
      'by POST with values',
      {
        command: 'echo {{n}} {{q}}',
        method: 'POST',
        args: [
          { name: 'n', type: 'integer', required: true },
          { name: 'q', required: true, choices: ["it's"] },
        ],
      },
      "1 it's",
    ],
  ];
  test.each(samples)('its curl line works %s', async (_, endpoint, printed) => {
    await using started = await start(LISTEN, [{ name: 'sample', ...endpoint } as never]);
    const line = /^try +(.*)$/m.exec(started.text)?.[1] ?? '';
    const curl = Bun.spawn(['sh', '-c', line], { stdio: ['ignore', 'pipe', 'ignore'] });
    expect(withoutComments(await new Response(curl.stdout).text())).toStartWith(
      `data: ${JSON.stringify({ type: 'output', data: printed })}\n\ndata: {"type":"done","exit_code":0,`,
    );
  });

  test('it warns when others than this machine can reach it, and only then', async () => {
    await using open = await start(['--port', '0']);
    expect(open.text).toMatch(
      /^WARNING +anyone who can reach 0\.0\.0\.0:\d+ can run these commands without a password/m,
    );
    expect((await fetch(`${open.url}/hello`)).status).toBe(200);
    await using closed = await start(LISTEN);
    expect(closed.text).not.toContain('WARNING');
  });

  test('it warns of what it does not do', async () => {
    await using started = await start(LISTEN, [
      HELLO,
      { name: 'gated', command: 'true', approval_required: true } as never,
      { name: 'nightly', command: 'true', schedule: '0 3 * * *' } as never,
    ]);
    expect(started.text).toMatch(
      /^WARNING +svc serve cannot run "gated": it needs approval .* answered with 501\.$/m,
    );
    expect(started.text).toMatch(
      /^WARNING +"nightly": the schedule is ignored; nothing runs by itself here\.$/m,
    );
    expect(started.text).not.toContain('/gated');
  });

  test('--json makes it one line for programs', async () => {
    await using world = await serveWorld([
      HELLO,
      { name: 'log', command: 'true', method: 'POST', description: 'Logs' },
    ]);
    expect(JSON.parse(world.stdout.text)).toEqual({
      url: `http://127.0.0.1:${world.port}`,
      endpoints: [
        { name: 'hello', method: null, description: null, url: `${world.url}/hello` },
        { name: 'log', method: 'POST', description: 'Logs', url: `${world.url}/log` },
      ],
      warnings: [],
    });
  });

  test('SVC_PORT says the port, --port more so, and an empty SVC_PORT says nothing', async () => {
    await using first = await serveWorld([HELLO]);
    const { port } = first;
    first.signal('SIGKILL');
    await first.exited;
    await using second = await start(['--host', '127.0.0.1'], [HELLO], { SVC_PORT: `${port}` });
    expect(second.url).toEndWith(`:${port}`);
    await using third = await start(LISTEN, [HELLO], { SVC_PORT: `${port}` });
    expect(third.url).not.toEndWith(`:${port}`);
    await using fourth = await start(LISTEN, [HELLO], { SVC_PORT: '' });
    expect((await fetch(`${fourth.url}/hello`)).status).toBe(200);
  });
});
