// `svc login` and `svc logout` against a real hub, and who gets the token (decision 44, sign-in).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AS_NOBODY } from '../as-nobody.ts';
import { configText } from '../config-text.ts';
import { postForm } from '../forms.ts';
import { Lines } from '../lines.ts';
import { runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

let folder: TemporaryFolder;
let hub: ReturnType<typeof startSvc>;
let baseUrl: string;
let apiKey: string;
let cookie: string;
beforeAll(async () => {
  folder = await temporaryFolder();
  await Bun.write(
    join(folder.path, 'svc.yaml'),
    configText([{ name: 'hello', command: 'echo "Hello, $SVC_ARG_NAME!"', args: [{ name: 'name' }] }]),
  );
  hub = startSvc(['up', '--port', '0', '--json'], {
    cwd: folder.path,
    env: { SVC_DATA_DIR: join(folder.path, 'data') },
  });
  const ready = JSON.parse(await new Lines(hub.stdout).find(/^\{/)) as Record<string, string>;
  ({ base_url: baseUrl = '', api_key: apiKey = '' } = ready);
  const signedIn = await postForm(ready.sign_in_url ?? '');
  cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  await loginAs('bob');
});
afterAll(async () => {
  hub.kill('SIGKILL');
  await hub.exited;
  await folder[Symbol.asyncDispose]();
});

/** A user of this machine who is not the one of `svc up`: with another home, and so without its key. */
const userOf = (name: string, more: Record<string, string> = {}) => ({
  cwd: folder.path,
  env: {
    XDG_CONFIG_HOME: join(folder.path, name),
    XDG_DATA_HOME: join(folder.path, name, 'data'),
    SVC_BASE_URL: baseUrl,
    ...more,
  },
});

const loginsOf = (name: string) => join(folder.path, name, 'svc', 'logins.json');

/** The steps of the person in the browser, with a session. */
async function decide(url: string, decision: 'approve' | 'deny'): Promise<void> {
  const page = await (await fetch(url, { headers: { cookie } })).text();
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)?.[1] ?? '';
  const response = await fetch(new URL('/device', url), {
    method: 'POST',
    headers: { cookie, origin: new URL(url).origin },
    body: new URLSearchParams({ user_code: field('user_code'), workspace: field('workspace'), decision }),
  });
  expect(response.status).toBe(200);
}

async function loginAs(name: string): Promise<void> {
  const child = startSvc(['login', '--json'], userOf(name));
  const opened = JSON.parse(await new Lines(child.stdout).find(/verification_uri/)) as Record<string, string>;
  await decide(opened.verification_uri_complete ?? '', 'approve');
  expect(await child.exited).toBe(0);
}

test('a person with a login calls and reads without a key, until they sign out', async () => {
  const ada = userOf('ada');
  expect(await runSvc(['call', 'local/hello', 'name=Ada'], ada)).toMatchObject({ exitCode: 2, stdout: '' });
  const child = startSvc(['login'], ada);
  const lines = new Lines(child.stdout);
  const url = (await lines.find(/^open/)).replace(/^open +/, '');
  expect(await lines.find(/^code/)).toContain(new URL(url).searchParams.get('user_code') ?? 'none');
  await decide(url, 'approve');
  expect(await child.exited).toBe(0);
  expect(lines.text).toContain(`signed in  at ${baseUrl}, as local`);

  // Its username is that of the workspace, so a bare name does.
  expect((await runSvc(['call', 'hello', 'name=Ada'], ada)).stdout).toBe('Hello, Ada!\n');
  expect((await runSvc(['logs'], ada)).stdout).toContain('hello');
  expect(statSync(loginsOf('ada')).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder.path, 'ada', 'svc')).mode & 0o777).toBe(0o700);

  const kept = readFileSync(loginsOf('ada'), 'utf8');
  const token = /svc_pat_\w+/.exec(kept)?.[0] ?? '';
  expect(await runSvc(['logout'], ada)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readFileSync(loginsOf('ada'), 'utf8')).not.toContain('svc_pat_');
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${baseUrl}/workspace`, { headers })).status).toBe(401);
  expect((await runSvc(['call', 'local/hello'], ada)).exitCode).toBe(2);
  expect((await runSvc(['logout'], ada)).exitCode).toBe(2);
});

test('a denial in the browser ends it, and nothing is stored', async () => {
  const child = startSvc(['login', '--json'], userOf('eve'));
  const opened = JSON.parse(await new Lines(child.stdout).find(/verification_uri/)) as Record<string, string>;
  await decide(opened.verification_uri_complete ?? '', 'deny');
  expect(await child.exited).toBe(1);
  expect(await new Lines(child.stderr).find(/denied/)).toContain('denied in the browser');
  expect(existsSync(loginsOf('eve'))).toBe(false);
});

test('an option overrides the environment, and both override the stored login', async () => {
  const call = (args: string[], more: Record<string, string>) =>
    runSvc(['call', 'local/hello', 'name=Bob', ...args], userOf('bob', more));
  const wrong = `${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`;
  expect((await call([], {})).stdout).toBe('Hello, Bob!\n');
  expect((await call([], { SVC_API_KEY: wrong })).exitCode).toBe(2);
  expect((await call(['--api-key', apiKey], { SVC_API_KEY: wrong })).stdout).toBe('Hello, Bob!\n');
});

test('a token is sent to the service that issued it and to no other', async () => {
  const received: (string | null)[] = [];
  using other = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ headers }) {
      received.push(headers.get('authorization'), headers.get('x-api-key'));
      return Response.json({ error: 'no' }, { status: 401 });
    },
  });
  const url = `http://127.0.0.1:${other.port}`;
  await runSvc(['logs'], userOf('bob', { SVC_BASE_URL: url }));
  await runSvc(['logs', '--base-url', url], userOf('bob'));
  await runSvc(['call', `${url}/v1/local/hello`], userOf('bob'));
  expect(received).toEqual(Array.from({ length: 6 }, () => null));
});

test('signing in again ends the token from before, and a file that others could read is closed to them', async () => {
  const before = /svc_pat_\w+/.exec(readFileSync(loginsOf('bob'), 'utf8'))?.[0] ?? '';
  chmodSync(loginsOf('bob'), 0o644);
  await loginAs('bob');
  expect(statSync(loginsOf('bob')).mode & 0o777).toBe(0o600);
  const { status } = await fetch(`${baseUrl}/workspace`, { headers: { authorization: `Bearer ${before}` } });
  expect(status).toBe(401);
  expect((await runSvc(['logs'], userOf('bob'))).exitCode).toBe(0);
});

test('logout keeps the token when the hub is unreachable; --forget removes it', async () => {
  const gone = 'http://127.0.0.1:9';
  const kept = { access_token: 'svc_pat_x', username: 'ada', expires_at: '2100-01-01T00:00:00.000Z' };
  await Bun.write(loginsOf('flo'), JSON.stringify({ [gone]: kept }));
  const flo = userOf('flo', { SVC_BASE_URL: gone });
  const failed = await runSvc(['logout'], flo);
  expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining('svc logout --forget')]);
  expect(readFileSync(loginsOf('flo'), 'utf8')).toContain('svc_pat_x');
  expect((await runSvc(['logout', '--forget', '--json'], flo)).stdout).toBe(`{"base_url":"${gone}"}\n`);
  expect(readFileSync(loginsOf('flo'), 'utf8')).not.toContain('svc_pat_x');
});

test.each([['login'], ['logout']])(
  'svc %s asks the service for nothing if it cannot store the result',
  async (command) => {
    let requests = 0;
    using service = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch() {
        requests += 1;
        return Response.json({ error: 'no' }, { status: 500 });
      },
    });
    const url = service.url.origin;
    const kept = { access_token: 'svc_pat_x', username: 'ada', expires_at: '2100-01-01T00:00:00.000Z' };
    const name = `read-only-${command}`;
    await Bun.write(loginsOf(name), JSON.stringify({ [url]: kept }));
    const svcFolder = join(folder.path, name, 'svc');
    chmodSync(folder.path, 0o755);
    chmodSync(svcFolder, 0o555);
    chmodSync(loginsOf(name), 0o644);
    const user = { ...userOf(name, { SVC_BASE_URL: url }), wrapper: AS_NOBODY };
    expect(await runSvc([command], user)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining(`cannot write the logins of this user: EACCES`),
    });
    expect(requests).toBe(0);
  },
);
