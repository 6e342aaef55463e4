// svc logs -f against a service that is away for a while: what it reads again, and what ends it.
import { expect, test } from 'bun:test';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const NEWEST = '2026-11-20T10:00:00.000Z';
const ENDED = executionAt('exe_ended', NEWEST, 'succeeded');
const EARLIER = '2026-11-20T09:00:00.000Z';
const RUNNING = executionAt('exe_running', '2026-11-20T11:00:00.000Z', 'running');

function executionAt(id: string, createdAt: string, status: string) {
  return { execution_id: id, endpoint: 'hello', created_at: createdAt, status, requested_by: 'ada' };
}

const page = (...items: object[]) => Response.json({ items, next_cursor: null });
const idle = (status: string | undefined) => (status === undefined ? page(ENDED) : page());
const away = () => new Response('restarting', { status: 503 });

/** `first` answers the lists. Polls are the requests with `from`. */
function service(first: (status: string | undefined) => Response, ...polls: (() => Response)[]) {
  const from: (string | null)[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      const { searchParams } = new URL(url);
      from.push(searchParams.get('from'));
      if (!searchParams.has('from')) return first(searchParams.get('status') ?? undefined);
      const poll = from.filter((one) => one !== null).length - 1;
      return (polls[poll] ?? (() => page(ENDED)))();
    },
  });
  return { url: server.url.origin, from, [Symbol.dispose]: () => void server.stop(true) };
}

function follow(cwd: string, url: string, status = 'running') {
  const env = { SVC_BASE_URL: url, SVC_ACCESS_TOKEN: 'svc_pat_x', XDG_CONFIG_HOME: cwd, XDG_DATA_HOME: cwd };
  return startSvc(['logs', '-f', '--status', status], { cwd, env });
}

test('a list without a match reads no history again, and a failed poll is tried again', async () => {
  await using folder = await temporaryFolder();
  using hub = service(idle, away, () => page(RUNNING, ENDED));
  const child = follow(folder.path, hub.url);
  await new Lines(child.stdout).find(/^exe_running .* running /);
  child.kill('SIGINT');
  await child.exited;
  expect(hub.from.slice(0, 4)).toEqual([null, null, NEWEST, NEWEST]);
});

test('a refusal ends it', async () => {
  await using folder = await temporaryFolder();
  using hub = service(idle, () => Response.json({ error: 'no', code: 'unauthenticated' }, { status: 401 }));
  const child = follow(folder.path, hub.url);
  expect(await child.exited).toBe(2);
  expect(hub.from).toHaveLength(3);
});

test('an execution that began before the newest listed one is shown when it gets the state', async () => {
  const failed = executionAt('exe_failed', NEWEST, 'failed');
  const slow = (status: string) => executionAt('exe_slow', EARLIER, status);
  await using folder = await temporaryFolder();
  using hub = service(
    (status) => (status === undefined ? page(failed, slow('running')) : page(failed)),
    () => page(failed, ...(hub.from.at(-1) === EARLIER ? [slow('failed')] : [])),
  );
  const child = follow(folder.path, hub.url, 'failed');
  const lines = new Lines(child.stdout);
  await lines.find(/^exe_failed /);
  await lines.find(/^exe_slow .* failed /);
  child.kill('SIGINT');
  await child.exited;
});
