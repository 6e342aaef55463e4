// The bytes of stdout as the answer of a call, and stderr as a stream of its own, on a hub and on `svc serve`: decision 68, raw output.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { EndpointYaml } from '../config-text.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { peakMiB } from '../memory.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { serveWorld, type World } from '../world.ts';

/** All bytes once, 1 MiB of them, in an order that depends on nothing. */
const BYTES = Buffer.from(Array.from({ length: 1024 * 1024 }, (_, at) => (at * 31 + (at >> 8)) & 0xff));
const PNG = { output: 'raw', content_type: 'image/png' } as const;
const MUCH = 200_000_000;

const endpoints = (bytesFile: string): EndpointYaml[] => [
  { name: 'image', ...PNG, command: `printf 'made\\n' >&2; cat ${bytesFile}; printf 'late\\n' >&2` },
  { name: 'fails', ...PNG, command: 'printf half; exit 3' },
  { name: 'nothing', ...PNG, command: 'echo why >&2; exit 4' },
  { name: 'slow', ...PNG, command: 'printf half; sleep 60', timeout: 1 },
  { name: 'silent', ...PNG, command: 'sleep 60', timeout: 1 },
  { name: 'page', output: 'raw', content_type: 'text/html', command: 'printf "<script>1</script>"' },
  { name: 'any', output: 'raw', command: 'printf x' },
  { name: 'much', output: 'raw', command: `head -c ${MUCH} /dev/zero` },
  { name: 'apart', merge: false, command: 'echo out; echo err >&2' },
];

interface Event {
  readonly type: string;
  readonly data?: string;
  readonly encoding?: string;
  readonly stream?: string;
}

async function events(response: Response): Promise<Event[]> {
  const text = await response.text();
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => JSON.parse(block.slice('data: '.length)) as Event);
}

const stdoutOf = (all: readonly Event[]) =>
  Buffer.concat(all.filter(({ encoding }) => encoding).map(({ data = '' }) => Buffer.from(data, 'base64')));

/** How a body ends: `whole`, or `broken` when the connection closes before its end. */
async function bodyOf(response: Response): Promise<{ text: string; end: 'whole' | 'broken' }> {
  let text = '';
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done) return { text, end: 'whole' };
      text += Buffer.from(value).toString('latin1');
    }
  } catch {
    return { text, end: 'broken' };
  }
}

function behaviour(call: (slug: string, init?: RequestInit) => Promise<Response>): void {
  test('the answer is the bytes of stdout, with the media type of the endpoint', async () => {
    const response = await call('image');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect(response.headers.get('x-execution-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(Buffer.from(await response.arrayBuffer()).equals(BYTES)).toBe(true);
    const any = await call('any');
    expect([any.headers.get('content-type'), await any.text()]).toEqual(['application/octet-stream', 'x']);
  });

  test('a page from a command runs no script and has no origin', async () => {
    const { headers } = await call('page');
    expect(headers.get('content-security-policy')).toStartWith("sandbox; default-src 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('Accept asks for events or JSON instead: stdout as base64, stderr apart', async () => {
    const all = await events(await call('image', { headers: { accept: 'text/event-stream' } }));
    expect(stdoutOf(all).equals(BYTES)).toBe(true);
    const stderr = all.filter(({ stream }) => stream === 'stderr').map(({ data }) => data);
    expect(stderr).toEqual(['made', 'late']);
    expect(all.at(-1)).toMatchObject({ type: 'done', exit_code: 0 });
    const json = (await (
      await call('image', { headers: { accept: 'application/json' } })
    ).json()) as Event & {
      readonly output: string;
    };
    expect(json).toMatchObject({ encoding: 'base64', exit_code: 0 });
    expect(Buffer.from(json.output, 'base64').equals(BYTES)).toBe(true);
  });

  test('an exit code is in the header where it is known, and with fail=1 the status waits for it', async () => {
    const nothing = await call('nothing');
    expect([nothing.status, nothing.headers.get('x-exit-code'), await nothing.text()]).toEqual([
      200,
      '4',
      '',
    ]);
    const failed = await call('fails?fail=1');
    expect([failed.status, failed.headers.get('x-exit-code'), await failed.text()]).toEqual([
      502,
      '3',
      'half',
    ]);
    const whole = await call('image?fail=1');
    expect([whole.status, (await whole.bytes()).length]).toEqual([200, BYTES.length]);
  });

  test('an answer that cannot be completed breaks its connection', async () => {
    expect(await bodyOf(await call('fails'))).toEqual({ text: 'half', end: 'whole' });
    expect(await bodyOf(await call('slow'))).toEqual({ text: 'half', end: 'broken' });
    const silent = await call('silent');
    expect(silent.status).toBe(502);
    expect(await silent.json()).toMatchObject({ code: 'timeout' });
  });

  test('stderr is a stream of its own in text, if the endpoint asks for it', async () => {
    const all = await events(await call('apart', { headers: { accept: 'text/event-stream' } }));
    expect(all).toContainEqual({ type: 'output', data: 'out' });
    expect(all).toContainEqual({ type: 'output', stream: 'stderr', data: 'err' });
  });
}

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'bytes'), BYTES);
});
afterAll(() => folder[Symbol.asyncDispose]());

describe('on svc serve', () => {
  let world: World;
  beforeAll(async () => {
    world = await serveWorld(endpoints(join(folder.path, 'bytes')));
  });
  afterAll(() => world[Symbol.asyncDispose]());

  behaviour((slug, init) => fetch(`${world.url}/${slug}`, init));

  test('memory stays flat while a caller reads slowly', async () => {
    await (await fetch(`${world.url}/image`)).bytes();
    const before = peakMiB(world.pid);
    const argv = ['curl', '-sN', '--limit-rate', '100M', `${world.url}/much`];
    const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
    let bytes = 0;
    for await (const chunk of child.stdout) bytes += chunk.length;
    expect(bytes).toBe(MUCH);
    expect(peakMiB(world.pid) - before).toBeLessThan(64);
  });
});

describe('on a hub', () => {
  let world: HubWorld;
  let agent: RealAgent;
  beforeAll(async () => {
    world = await hubWorld();
    agent = await realAgent(world, endpoints(join(folder.path, 'bytes')));
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  behaviour((slug, init) =>
    fetch(world.urlOf(slug), {
      ...init,
      headers: { 'x-api-key': world.start.apiKey, ...(init?.headers as Record<string, string>) },
    }),
  );

  test('the record has the bytes, the lines of stderr and a text for people', async () => {
    const { headers } = await world.call('image');
    const read = (query: string) =>
      world.manage(`/executions/${headers.get('x-execution-id')}/output${query}`);
    const stdout = await read('?stream=stdout');
    expect(stdout.headers.get('content-disposition')).toBe('attachment');
    expect(Buffer.from(await stdout.bytes()).equals(BYTES)).toBe(true);
    expect(await (await read('?stream=stderr')).text()).toBe('made\nlate\n');
    // Between the two streams only the order of arrival is known.
    const lines = (await (await read('')).text()).split('\n');
    const binary = lines.filter((line) => /^\[svc: \d+ bytes that are no text\]$/.test(line));
    expect(lines.filter((line) => !binary.includes(line))).toEqual(['made', 'late', '']);
    expect(binary).not.toBeEmpty();
    const shown = await world.manage(`/executions/${headers.get('x-execution-id')}`);
    expect(await shown.json()).toMatchObject({ encoding: 'base64', output: BYTES.toString('base64') });
  });

  test('svc call writes the bytes to stdout and the rest to stderr', async () => {
    const { stdout, stderr, exitCode } = await runSvc(['call', world.urlOf('fails')], {
      cwd: folder.path,
      env: { SVC_API_KEY: world.start.apiKey },
    });
    expect([stdout, stderr, exitCode]).toEqual(['half', '', 3]);
  });
});
