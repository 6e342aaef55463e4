// How `svc serve` stops: nothing new is accepted, what runs may finish, nothing is left behind (decision 53, the program).
import { expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { untilExists, untilPoll } from '../files.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { readText, readUntil } from '../read-text.ts';
import { withoutComments } from '../without-comments.ts';
import { serveWorld, type World } from '../world.ts';

const WAITS = { name: 'waits', command: 'echo $$ >> pid; until [ -e go ]; do sleep 0.02; done; echo went' };
const ENDLESS = { name: 'endless', command: 'echo $$ > pid; echo begun; exec sleep 1000' };

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The process ids of the commands that have begun. */
function pidsOf({ folder }: World): number[] {
  const path = join(folder, 'pid');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends a server without commands at once, with exit code 0',
  async (signal) => {
    await using world = await serveWorld([WAITS]);
    // A connection that is kept open does not hold it up.
    await (await fetch(`${world.url}/health`)).text();
    world.signal(signal);
    expect(await world.exited).toBe(0);
    expect(world.stderr.text).toBe('');
  },
);

test('running executions may finish: their callers get whole answers, and new calls are refused', async () => {
  await using world = await serveWorld([WAITS]);
  const stream = fetch(`${world.url}/waits`).then((response) => response.text());
  const buffered = fetch(`${world.url}/waits`, { headers: { accept: 'application/json' } }).then((it) =>
    it.json(),
  );
  // Both are under way: what comes later is not let in.
  await untilPoll(() => pidsOf(world).length === 2);
  world.signal('SIGTERM');
  await world.stderr.find(
    /^stopping {2}\d commands? may finish within 30 s; a second signal ends (?:it|them) now$/,
  );
  const late = fetch(`${world.url}/health`).then(
    () => 'let in',
    () => 'refused',
  );
  expect(await late).toBe('refused');
  writeFileSync(join(world.folder, 'go'), '');
  expect(withoutComments(await stream)).toMatch(
    /^data: \{"type":"output","data":"went"\}\n\ndata: \{"type":"done","exit_code":0,.*\n\n$/,
  );
  expect(await buffered).toMatchObject({ output: 'went\n', exit_code: 0 });
  expect(await world.exited).toBe(0);
});

test('a call whose body arrives too late is refused', async () => {
  await using world = await serveWorld([WAITS, { name: 'late', command: 'true' }]);
  const waits = fetch(`${world.url}/waits`).then((response) => response.text());
  await untilExists(join(world.folder, 'pid'));
  const answers = new TransformStream<Uint8Array, Uint8Array>();
  const writer = answers.writable.getWriter();
  const lines = new Lines(answers.readable);
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: world.port,
    socket: { data: (_, chunk) => void writer.write(Uint8Array.from(chunk)) },
  });
  const headers = [
    'Host: localhost',
    'Content-Type: application/json',
    'Content-Length: 2',
    'Expect: 100-continue',
  ];
  socket.write(['POST /late HTTP/1.1', ...headers, '', '{'].join('\r\n'));
  await lines.find(/^HTTP\/1\.1 100 /);
  world.signal('SIGTERM');
  await world.stderr.find(/^stopping/);
  socket.write('}');
  await lines.find(/^HTTP\/1\.1 503 /);
  await lines.find(/"code":"unavailable"/);
  writeFileSync(join(world.folder, 'go'), '');
  expect(await waits).toContain('"type":"done"');
});

test('executions that have not finished within --grace are cancelled, and their callers get the reason', async () => {
  await using world = await serveWorld([ENDLESS], { args: ['--grace', '0'] });
  const stream = readText(await fetch(`${world.url}/endless`));
  await readUntil(stream, 'begun');
  const [pid = 0] = pidsOf(world);
  world.signal('SIGTERM');
  expect((await Array.fromAsync(stream)).join('')).toMatch(
    /^data: \{"type":"error","error":"the command was cancelled","code":"cancelled","execution_id":"[0-9a-f-]{36}"\}\n\n$/,
  );
  expect(await world.exited).toBe(0);
  expect(isAlive(pid)).toBe(false);
});

test('a second signal ends what runs, and leaves nothing behind', async () => {
  await using world = await serveWorld([ENDLESS]);
  const answer = fetch(`${world.url}/endless`, { headers: { accept: 'application/json' } });
  await untilExists(join(world.folder, 'pid'));
  world.signal('SIGINT');
  await world.stderr.find(/^stopping/);
  world.signal('SIGINT');
  const response = await answer;
  expect([response.status, await response.json()]).toEqual([
    502,
    { error: 'the command was cancelled', code: 'cancelled', execution_id: expect.any(String) },
  ]);
  expect(await world.exited).toBe(0);
  expect(pidsOf(world).map(isAlive)).toEqual([false]);
});

test('a closed stdout does not end it', async () => {
  await using freed = await serveWorld([WAITS]);
  freed.signal('SIGKILL');
  await freed.exited;
  const pipeline = ['bash', '-c', 'exec "$@" > >(true)', 'bash'];
  const args = ['serve', '--host', '127.0.0.1', '--port', `${freed.port}`];
  const unread = startSvc(args, { cwd: freed.folder, wrapper: pipeline });
  const curl = Bun.spawn(['curl', '-s', '--retry', '20', '--retry-connrefused', `${freed.url}/health`]);
  expect(await new Response(curl.stdout).json()).toMatchObject({ status: 'ok' });
  unread.kill('SIGTERM');
  expect(await unread.exited).toBe(0);
});
