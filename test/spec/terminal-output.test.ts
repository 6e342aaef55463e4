// A terminal gets the output of commands as text and colours, and everything else gets it unchanged (decision 64, borders of
// people and browsers).
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSvc, svcOnTerminal } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type UpProgram, upProgram } from '../up-program.ts';

setDefaultTimeout(60_000);

const HOSTILE = [
  '\x1b]0;title\x07',
  '\x1b]52;c;cm0gLXJmIH4=\x1b\\',
  '\x1b[2J\x1b[1;1H',
  '\x1b]8;;https://evil.example\x1b\\',
  '\u009b6n',
  '\x1bP$q"p\x1b\\',
].join('');
const RED = '\x1b[31mred\x1b[0m';
/** printf takes octal. */
const octal = (text: string) =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
const ENDPOINTS = [{ name: 'hostile', command: `printf '${octal(`a${HOSTILE}b${RED}\tc\nend\n`)}'` }];

let up: UpProgram;
const options = () => ({
  cwd: tmpdir(),
  env: { SVC_BASE_URL: up.ready.base_url, SVC_API_KEY: up.ready.api_key, SVC_USERNAME: up.ready.username },
});
beforeAll(async () => {
  up = await upProgram(ENDPOINTS);
});
afterAll(() => up[Symbol.asyncDispose]());

test('svc call shows text and colours on a terminal', async () => {
  const shown = await svcOnTerminal(['call', 'hostile'], options(), 'end');
  expect(shown).toBe(`ab${RED}\tc\r\nend\r\n`);
});

test('svc call --raw shows all of it', async () => {
  const shown = await svcOnTerminal(['call', 'hostile', '--raw'], options(), 'end');
  expect(shown).toBe(`a${HOSTILE}b${RED}\tc\r\nend\r\n`);
});

test('a pipe gets every byte unchanged', async () => {
  expect((await runSvc(['call', 'hostile'], options())).stdout).toBe(`a${HOSTILE}b${RED}\tc\nend\n`);
});

test('svc logs shows text and colours on a terminal, and with --raw all of it', async () => {
  const called = await fetch(`${up.ready.base_url}/v1/${up.ready.username}/hostile`, {
    headers: { 'x-api-key': up.ready.api_key },
  });
  await called.text();
  const id = called.headers.get('x-execution-id') ?? '';
  const { cwd, env } = options();
  const owner = { cwd, env: { ...env, SVC_API_KEY: up.ready.access_token } };
  expect(await svcOnTerminal(['logs', id], owner, 'end')).toBe(`ab${RED}\tc\r\nend\r\n`);
  expect(await svcOnTerminal(['logs', id, '--raw'], owner, 'end')).toContain(HOSTILE);
});

describe('texts of a hub are shown as text too', () => {
  const approval = {
    ...{
      approval_id: '019a9f3e-2a40-7d11-8e0a-6b0c9d1e4f22',
      endpoint: `de${HOSTILE}ploy`,
      command: 'deploy',
    },
    ...{ status: 'pending_approval', expires_in_s: 60 },
  };
  const hub = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) =>
      new URL(url).pathname === '/approvals'
        ? Response.json({ items: [approval] })
        : Response.json({ error: `no${HOSTILE}thing here`, code: 'not_found' }, { status: 404 }),
  });
  afterAll(() => hub.stop(true));
  const args = ['--base-url', hub.url.origin];

  test('the names in svc approvals', async () => {
    await using folder = await temporaryFolder();
    const login = {
      ...{ access_token: 'svc_at_x', username: 'ada' },
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    };
    const file = join(folder.path, 'svc', 'logins.json');
    await Bun.write(file, JSON.stringify({ [hub.url.origin]: login }));
    const { cwd, env } = options();
    const member = { cwd, env: { ...env, XDG_CONFIG_HOME: folder.path } };
    const shown = await svcOnTerminal(['approvals', ...args], member, '60 s left');
    expect(shown).toContain('deploy  pending, 60 s left');
    expect(shown).not.toMatch(/[\x1b\x9b]/);
  });

  test('the message of a refusal', async () => {
    const shown = await svcOnTerminal(['call', 'hostile', ...args], options(), 'here');
    expect(shown).toContain('nothing here');
    expect(shown).not.toMatch(/[\x1b\x9b]/);
  });
});
