// `svc admin`: what an operator does with the data of a hub, while it runs (decision 54, configuration of a hub).
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  watch,
} from 'node:fs';
import { join } from 'node:path';
import { openAdmin } from '@svc/hub/admin/admin';
import { readHubConfig } from '@svc/hub/config';
import { configText } from '../config-text.ts';
import { postForm } from '../forms.ts';
import { hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { sessionIn } from '../people.ts';
import { postgresMissing, startPostgres } from '../postgres.ts';
import { runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(60_000);

const ENDPOINTS = [
  { name: 'hello', command: 'echo "call $SVC_ARG_N"', args: [{ name: 'n' }] },
  // Random data is stored unchanged; text would be compressed.
  { name: 'much', command: 'head -c 3000000 /dev/urandom | base64' },
];

interface Up {
  readonly base_url: string;
  readonly api_key: string;
  readonly access_token: string;
}

let folder: TemporaryFolder;
let running: ReturnType<typeof startSvc>[];
beforeEach(async () => {
  folder = await temporaryFolder();
  running = [];
  await Bun.write(join(folder.path, 'svc.yaml'), configText(ENDPOINTS));
});
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ exited }) => exited));
  await folder[Symbol.asyncDispose]();
});

const dataDir = (name = 'data') => join(folder.path, name);
const admin = (...args: string[]) =>
  runSvc(['admin', ...args], { cwd: folder.path, env: { SVC_DATA_DIR: dataDir() } });

async function up(data = dataDir()): Promise<Up> {
  const child = startSvc(['up', '--port', '0', '--json'], { cwd: folder.path, env: { SVC_DATA_DIR: data } });
  running.push(child);
  return JSON.parse(await new Lines(child.stdout).find(/^\{/)) as Up;
}

async function stopAll(): Promise<void> {
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ exited }) => exited));
}

/** One call to its end; its id. */
async function call({ base_url, api_key }: Up, slug: string, values: object = {}): Promise<string> {
  const response = await fetch(`${base_url}/v1/local/${slug}`, {
    method: 'POST',
    body: JSON.stringify(values),
    headers: { 'x-api-key': api_key, 'content-type': 'application/json', accept: 'application/json' },
  });
  expect(response.status).toBe(200);
  await response.text();
  return response.headers.get('x-execution-id') ?? '';
}

async function outputOf({ base_url, api_key }: Up, id: string): Promise<string> {
  const response = await fetch(`${base_url}/executions/${id}/output`, { headers: { 'x-api-key': api_key } });
  return `${response.status} ${await response.text()}`;
}

describe('svc admin backup', () => {
  test('copies a hub that is being called, and a hub on the copy has every call from before it', async () => {
    const hub = await up();
    const done = new Map<string, string>();
    const calls = { on: true };
    const caller = async (name: string) => {
      for (let n = 0; calls.on; n += 1)
        done.set(await call(hub, 'hello', { n: `${name}${n}` }), `${name}${n}`);
    };
    const callers = ['a', 'b', 'c', 'd'].map(caller);
    while (done.size < 20) await call(hub, 'hello', { n: 'more' });
    const before = new Map(done);
    const copy = join(folder.path, 'copy.db');
    const made = await admin('backup', copy, '--json');
    expect(made).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(made.stdout)).toEqual({ file: copy, bytes: statSync(copy).size });
    expect(done.size).toBeGreaterThan(before.size);
    calls.on = false;
    await Promise.all(callers);
    await stopAll();

    mkdirSync(dataDir('restored'));
    copyFileSync(copy, join(dataDir('restored'), 'svc.db'));
    copyFileSync(join(dataDir(), 'master.key'), join(dataDir('restored'), 'master.key'));
    const restored = { ...(await up(dataDir('restored'))), api_key: hub.api_key };
    for (const [id, n] of before) expect(await outputOf(restored, id)).toBe(`200 call ${n}\n`);
  });

  test('that is killed at any moment leaves no file under its name, and the next one is whole', async () => {
    const hub = await up();
    const ids = [await call(hub, 'much'), await call(hub, 'much'), await call(hub, 'much')];
    const outputs = await Promise.all(ids.map((id) => outputOf(hub, id)));
    const copy = join(folder.path, 'copy.db');
    const partial = `${copy}.partial`;
    const begin = () => {
      const child = startSvc(['admin', 'backup', copy], {
        cwd: folder.path,
        env: { SVC_DATA_DIR: dataDir() },
      });
      running.push(child);
      return child;
    };
    for (const enough of [0, 1_000_000, 4_000_000, 8_000_000]) {
      await killWhen(begin(), partial, enough);
      while (existsSync(copy)) {
        // It was whole before the signal came.
        expectWhole(copy);
        rmSync(copy);
        await killWhen(begin(), partial, enough);
      }
      expect(sizeOf(partial)).toBeGreaterThanOrEqual(enough);
    }
    expect(await admin('backup', copy)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readdirSync(folder.path).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
    await stopAll();
    mkdirSync(dataDir('restored'));
    copyFileSync(copy, join(dataDir('restored'), 'svc.db'));
    copyFileSync(join(dataDir(), 'master.key'), join(dataDir('restored'), 'master.key'));
    const restored = { ...(await up(dataDir('restored'))), api_key: hub.api_key };
    expect(await Promise.all(ids.map((id) => outputOf(restored, id)))).toEqual(outputs);
  });

  test('overwrites nothing, and says where there is no hub', async () => {
    const nothing = await admin('backup', join(folder.path, 'copy.db'));
    expect([nothing.exitCode, nothing.stderr]).toEqual([2, expect.stringContaining('SVC_DATA_DIR')]);
    expect(existsSync(dataDir())).toBe(false);
    await up();
    const file = join(folder.path, 'svc.yaml');
    const taken = await admin('backup', file);
    expect([taken.exitCode, taken.stderr]).toEqual([2, expect.stringContaining('exists already')]);
    expect(await Bun.file(file).text()).toBe(configText(ENDPOINTS));
    expect((await admin('backup', join(folder.path, 'no', 'such', 'folder.db'))).exitCode).toBe(1);
  });
});

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? -1;

function expectWhole(file: string): void {
  using database = Database.deserialize(readFileSync(file), { readonly: true });
  expect(database.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
}

/** Kills it when the file that it writes has at least this many bytes, unless it ends before. */
async function killWhen(child: ReturnType<typeof startSvc>, file: string, enough: number): Promise<void> {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (sizeOf(file) >= enough) resolve();
  };
  const watcher = watch(folder.path, look);
  await Promise.race([reached, child.exited]);
  watcher.close();
  child.kill('SIGKILL');
  await child.exited;
}

test('mails that wait are listed and read, and a link signs in without any mail', async () => {
  const hub = await up();
  expect((await admin('outbox')).stdout).toBe('no unsent mails\n');
  await fetch(`${hub.base_url}/auth/magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"email":"ada@example.com"}',
  });
  const [waiting, ...others] = (await admin('outbox', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  expect([waiting, others]).toEqual([
    {
      id: expect.any(String),
      to: 'ada@example.com',
      subject: 'Sign in to svc',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
    },
    [],
  ]);
  const id = waiting?.id ?? '';
  expect((await admin('outbox')).stdout).toMatch(
    new RegExp(`^${id}  \\S+Z  ada@example.com  Sign in to svc\n$`),
  );
  const shown = (await admin('outbox', 'show', id)).stdout;
  expect((await postForm(/http\S+/.exec(shown)?.[0] ?? '')).status).toBe(303);
  expect(JSON.parse((await admin('outbox', 'show', id, '--json')).stdout)).toMatchObject({
    id,
    html: expect.any(String),
  });
  expect((await admin('outbox', 'show', 'nothing')).exitCode).toBe(2);

  const link = (await admin('sign-in-link', 'bob@example.com', '--hub-url', hub.base_url)).stdout.trim();
  const signedIn = await postForm(link);
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/dashboard']);
  const page = await fetch(`${hub.base_url}/dashboard`, { headers: { cookie: sessionIn(signedIn) } });
  expect([page.status, page.url]).toEqual([200, `${hub.base_url}/dashboard`]);
  expect((await postForm(link)).status).toBe(410);
  expect((await admin('sign-in-link', 'nobody')).exitCode).toBe(2);
  const users = (await admin('users', '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(users).toEqual([
    { email: 'ada@example.com', username: null, plan: 'unlimited', created_at: expect.any(String) },
    { email: 'bob@example.com', username: null, plan: 'unlimited', created_at: expect.any(String) },
    { email: 'operator@localhost', username: 'local', plan: 'unlimited', created_at: expect.any(String) },
  ]);
});

test('the running hub uses a new plan within five seconds', async () => {
  await using world = await hubWorld();
  await world.agent({ endpoints: [{ name: 'free', command: 'true' }] });
  const call = async () => (await world.call('free', { headers: { prefer: 'respond-async' } })).status;
  expect(await call()).toBe(202);
  await using operator = await openAdmin(readHubConfig({ SVC_DATA_DIR: world.dataDir }));
  await operator.setPlan('local', 'free');
  await world.clock.heartbeat(1);
  // One more than `free` allows in a minute; the plan of a hub of one's own has no such limit.
  expect(await Promise.all(Array.from({ length: 601 }, call))).toContain(429);
});

test('an unknown plan and an unknown username are bad input', async () => {
  await up();
  expect((await admin('plan', 'local', 'team', '--json')).stdout).toBe(
    '{"username":"local","plan":"team"}\n',
  );
  expect((await admin('users')).stdout).toContain('team');
  expect((await admin('plan', 'local', 'gold')).stderr).toContain('one of free, pro, team, unlimited');
  expect((await admin('plan', 'nobody', 'team')).exitCode).toBe(2);
});

test.skipIf(postgresMissing !== undefined)(
  'on PostgreSQL a backup is for pg_dump, and the rest works',
  async () => {
    await using server = await startPostgres({ syncs: false });
    const env = {
      SVC_DATA_DIR: dataDir(),
      DATABASE_URL: await server.createDatabase(),
      SVC_MASTER_KEY: '00'.repeat(32),
    };
    const run = (...args: string[]) => runSvc(['admin', ...args], { cwd: folder.path, env });
    const copy = await run('backup', join(folder.path, 'copy.db'));
    expect([copy.exitCode, copy.stderr]).toEqual([2, expect.stringContaining('pg_dump')]);
    expect((await run('sign-in-link', 'ada@example.com')).stdout).toStartWith('http://127.0.0.1:8787/login/');
    expect(await run('users', '--json')).toMatchObject({ exitCode: 0, stdout: '' });
  },
);
