// The whole of it in one program: `svc up`, `svc call` and `svc logs` (decision 52, the badge, and decision 53, the program).
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { configText } from '../config-text.ts';
import { postForm } from '../forms.ts';
import { Lines } from '../lines.ts';
import { runSvc, startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { until } from '../until.ts';
import { withoutComments } from '../without-comments.ts';

setDefaultTimeout(60_000);

interface Up {
  readonly hosted_runner: unknown;
  readonly hub_url: string;
  readonly base_url: string;
  readonly username: string;
  readonly sign_in_url: string;
  readonly api_key: string;
  readonly access_token: string;
}

const ENDPOINTS = [
  {
    name: 'hello',
    method: 'GET',
    command: 'echo "Hello, {{name}}!"',
    args: [{ name: 'name', default: 'world' }],
  },
  { name: 'fails', command: 'echo before; exit 7' },
  { name: 'data', command: 'echo \'{"n": 1}\'', transform: { parse: 'json' } },
  { name: 'waits', command: 'echo begun; exec sleep 60' },
  { name: 'gated', command: 'cat gate', cwd: '.' },
  { name: 'pin', command: 'echo "the pin is $SVC_ARG_PIN"', args: [{ name: 'pin', secret: true }] },
];

let folder: TemporaryFolder;
let child: ReturnType<typeof startSvc>;
let ready: Up;
let stderr: Lines;
beforeAll(async () => {
  folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'svc.yaml'), configText(ENDPOINTS));
  [child, ready] = await up();
});
afterAll(async () => {
  child.kill('SIGKILL');
  await child.exited;
  await folder[Symbol.asyncDispose]();
});

const environment = () => ({ SVC_DATA_DIR: join(folder.path, 'data') });

async function up(port = '0'): Promise<[ReturnType<typeof startSvc>, Up]> {
  const started = startSvc(['up', '--port', port, '--json'], { cwd: folder.path, env: environment() });
  stderr = new Lines(started.stderr);
  return [started, JSON.parse(await new Lines(started.stdout).find(/^\{/)) as Up];
}

const svc = (...args: string[]) =>
  runSvc(args, { cwd: folder.path, env: { ...environment(), SVC_BASE_URL: ready.base_url } });

test('one line says all that a program needs, and it works', async () => {
  expect(Object.keys(ready)).toEqual([
    'hub_url',
    'base_url',
    'username',
    'sign_in_url',
    'api_key',
    'access_token',
    'commands_run_as',
    'commands_can_read_data',
    'hosted_runner',
  ]);
  // The data folder is new, so it has no runner image.
  expect(ready.hosted_runner).toEqual({ available: false, reason: expect.stringMatching(/\w/) });
  const url = `${ready.base_url}/v1/${ready.username}/hello?name=Ada`;
  const stream = await fetch(url, { headers: { 'x-api-key': ready.api_key } });
  expect(withoutComments(await stream.text()).replace(/"duration_ms":\d+/, '"duration_ms":N')).toBe(
    'data: {"type":"output","data":"Hello, Ada!"}\n\ndata: {"type":"done","exit_code":0,"duration_ms":N}\n\n',
  );
  const json = await fetch(url, { headers: { 'x-api-key': ready.api_key, accept: 'application/json' } });
  expect(await json.json()).toMatchObject({ output: 'Hello, Ada!\n', exit_code: 0 });
  const signedIn = await postForm(ready.sign_in_url);
  expect(signedIn.headers.get('set-cookie')).toContain('svc_session=');
  const outbox = await fetch(`${ready.hub_url}/outbox`, {
    headers: { authorization: `Bearer ${ready.access_token}` },
  });
  expect(outbox.status).toBe(200);
});

test('svc call prints what the command prints and ends as it ended', async () => {
  expect(await svc('call', 'hello', 'name=Ada')).toEqual({
    exitCode: 0,
    stdout: 'Hello, Ada!\n',
    stderr: '',
  });
  expect(await svc('call', 'fails')).toMatchObject({ exitCode: 7, stdout: 'before\n' });
  expect(JSON.parse((await svc('call', 'data', '--json')).stdout)).toMatchObject({
    data: { n: 1 },
    exit_code: 0,
  });
  expect(await svc('call', 'nothing')).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('no such user, endpoint or pipeline'),
  });
});

test('svc logs lists executions and shows one again', async () => {
  await svc('call', 'hello', 'name=Bo');
  const [newest] = (await svc('logs')).stdout.split('\n');
  const [id = ''] = newest?.split(' ') ?? [];
  expect(newest).toContain('succeeded');
  expect((await svc('logs', id)).stdout).toBe('Hello, Bo!\n');
  const events = (await svc('logs', id, '--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(events).toMatchObject([
    { id: '1.1', type: 'output' },
    { id: 'end', type: 'done', exit_code: 0 },
  ]);
  expect((await svc('logs', id, '--after', '1.1')).stdout).toBe('');
});

test('a secret argument is masked in output before it leaves the agent', async () => {
  expect((await svc('call', 'pin', 'pin=tell-nobody-4711')).stdout).toBe('the pin is ***\n');
});

test('a change of the file is served within moments, and a broken file changes nothing', async () => {
  const write = (text: string) => Bun.write(join(folder.path, 'svc.yaml'), text);
  await write(configText([...ENDPOINTS, { name: 'added', command: 'echo new' }]));
  await until(async () => (await svc('call', 'added')).stdout === 'new\n');
  await write('version: 1\nendpoints: [');
  await stderr.find(/has problems/);
  expect((await svc('call', 'added')).stdout).toBe('new\n');
  await write(configText(ENDPOINTS));
  await until(async () => (await svc('call', 'added')).exitCode === 2);
});

test('a second start has the same key and everything that was recorded', async () => {
  const before = ready;
  const { stdout: listed } = await svc('logs');
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
  [child, ready] = await up();
  expect([ready.api_key, ready.username]).toEqual([before.api_key, before.username]);
  expect((await svc('logs')).stdout).toBe(listed);
  expect((await svc('call', 'hello')).stdout).toBe('Hello, world!\n');
});

test('killed while a command runs, it starts again: the execution is lost, and the next call works', async () => {
  const stream = await fetch(`${ready.base_url}/v1/${ready.username}/waits`, {
    method: 'POST',
    headers: { 'x-api-key': ready.api_key, accept: 'text/event-stream' },
  });
  const id = stream.headers.get('x-execution-id') ?? '';
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  let seen = '';
  while (!seen.includes('begun')) seen += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  child.kill('SIGKILL');
  await child.exited;
  // At another port: the agent's journal belongs to the data folder.
  const before = ready.hub_url;
  [child, ready] = await up();
  expect(ready.hub_url).not.toBe(before);
  await until(async () => (await svc('logs')).stdout.includes('lost'));
  const line = (await svc('logs')).stdout.split('\n').find((it) => it.startsWith(id.slice(0, 8)));
  expect(line).toContain('lost');
  expect((await svc('call', 'hello')).stdout).toBe('Hello, world!\n');
});

test('a port that is taken is reported with the option that helps', async () => {
  const { port } = new URL(ready.base_url);
  expect(await svc('up', '--port', port)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `error  port ${port} is in use on 127.0.0.1\ntry    --port 0 picks a free port\n`,
  });
});

test('svc up prints the data folder and a curl line that works; a signal right after that stops it cleanly', async () => {
  const data = join(folder.path, 'other');
  const other = startSvc(['up', '--port', '0'], { cwd: folder.path, env: { SVC_DATA_DIR: data } });
  const lines = new Lines(other.stdout);
  expect(await lines.find(/^data/)).toBe(`data       ${data}`);
  const curl = (await lines.find(/^try/)).replace(/^try +/, '');
  const ran = Bun.spawn(['sh', '-c', `${curl} --silent --show-error`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await new Response(ran.stdout).text()).toContain('"data":"Hello, world!"');
  expect(await lines.find(/^hosted/)).toMatch(/^hosted {5}\S/);
  other.kill('SIGTERM');
  expect(await other.exited).toBe(0);

  const again = startSvc(['up', '--port', '0', '--json'], { cwd: folder.path, env: { SVC_DATA_DIR: data } });
  await new Lines(again.stdout).find(/^\{/);
  again.kill('SIGTERM');
  expect(await again.exited).toBe(0);
});

test('an agent that cannot keep its journal reports it in a sentence, and everything stops', async () => {
  await using own = await temporaryFolder();
  await Bun.write(join(own.path, 'svc.yaml'), configText(ENDPOINTS));
  await Bun.write(join(own.path, 'data', 'agent'), 'no folder');
  const { exitCode, stderr: received } = await runSvc(['up', '--port', '0'], {
    cwd: own.path,
    env: { SVC_DATA_DIR: join(own.path, 'data') },
  });
  expect(exitCode).toBe(2);
  expect(received).toMatch(
    /^error {2}the agent cannot keep its journal in .*ENOTDIR.*\ntry {4}SVC_DATA_DIR=<another folder> svc up\n$/,
  );
});
