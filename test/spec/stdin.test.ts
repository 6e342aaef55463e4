// The body of a request as the stdin of a command, on a hub and on `svc serve`: decision 73, the body as standard input.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointYaml } from '../config-text.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { peakMiB } from '../memory.ts';
import { runSvc } from '../program.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { TcpRelay } from '../tcp-relay.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { serveWorld, type World } from '../world.ts';

const MIB = 1024 * 1024;
/** All bytes, 3 MiB of them, in an order that depends on nothing. */
const BYTES = Buffer.from(Array.from({ length: 3 * MIB }, (_, at) => (at * 31 + (at >> 8)) & 0xff));
const SHA_256 = createHash('sha256').update(BYTES).digest();
const DIGEST = `sha-256=:${SHA_256.toString('base64')}:`;
const STDIN = { stdin: 'body' } as const;

const endpoints = (folder: string): EndpointYaml[] => [
  { name: 'sum', ...STDIN, command: 'sha256sum -' },
  { name: 'raw', ...STDIN, output: 'raw', command: 'cat' },
  { name: 'greet', ...STDIN, command: 'printf "%s " {{name}}; cat', args: [{ name: 'name' }] },
  { name: 'early', ...STDIN, command: 'head -c 10 >/dev/null; echo enough; exit 3' },
  { name: 'small', ...STDIN, max_stdin: 1000, command: `touch ${folder}/began; cat; touch ${folder}/acted` },
  {
    name: 'acts',
    ...STDIN,
    command: `head -n 1 > ${folder}/half; echo read; cat; touch ${folder}/acted-on-half`,
  },
  {
    name: 'gated',
    ...STDIN,
    command: `head -c 1 >/dev/null; echo ready; until test -e ${folder}/go; do sleep 0.05; done; cat | sha256sum`,
  },
  { name: 'plain', command: 'echo no body' },
];

/** A body without a length, in pieces. */
function chunked(bytes: Uint8Array, piece = 100_000): ReadableStream {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + piece));
      at += piece;
    },
  });
}

interface Answer {
  readonly output: string;
  readonly exit_code: number;
  readonly code?: string;
  readonly error?: string;
  readonly execution_id: string;
}

type Call = (target: string, init?: RequestInit) => Promise<Response>;

function behaviour(call: Call, folder: () => string): void {
  const post = async (target: string, body: BodyInit, headers: Record<string, string> = {}) => {
    const response = await call(target, {
      method: 'POST',
      body,
      headers: { accept: 'application/json', ...headers },
    });
    return { status: response.status, ...((await response.json()) as Answer) };
  };

  test('the command reads the body byte for byte, with a length and without', async () => {
    const sum = { status: 200, output: `${SHA_256.toHex()}  -\n`, exit_code: 0 };
    expect(await post('sum', BYTES)).toMatchObject(sum);
    expect(await post('sum', chunked(BYTES))).toMatchObject(sum);
  });

  test('a body comes back while it is sent', async () => {
    const response = await call('raw', { method: 'POST', body: chunked(BYTES) });
    expect(Buffer.from(await response.arrayBuffer()).equals(BYTES)).toBe(true);
  });

  test('arguments come from the query, and a body of JSON is a body', async () => {
    const body = '{"name":"Eve"}';
    const json = { 'content-type': 'application/json' };
    expect(await post('greet?name=Ada', body, json)).toMatchObject({ output: `Ada ${body}` });
  });

  test('a body without bytes is an end at once', async () => {
    expect(await post('raw', '')).toMatchObject({ output: '', exit_code: 0 });
    expect(await post('raw', chunked(new Uint8Array()))).toMatchObject({ output: '', exit_code: 0 });
  });

  test('a command that has read enough ends with its exit code, and its caller is answered', async () => {
    expect(await post('early', chunked(BYTES))).toMatchObject({ output: 'enough\n', exit_code: 3 });
    expect(await post('early', BYTES)).toMatchObject({ output: 'enough\n', exit_code: 3 });
  });

  test('a body that says that it is too long is refused before anything runs', async () => {
    expect(await post('small', BYTES)).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(existsSync(`${folder()}/began`)).toBe(false);
  });

  test('a body that turns out to be too long ends the command, which never reads an end', async () => {
    const answer = await post('small', chunked(BYTES));
    expect(answer).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(answer.error).toBe('the input was cut off: the body is larger than 1000 bytes');
    expect(existsSync(`${folder()}/acted`)).toBe(false);
  });

  test('a body with another digest than its caller says ends the command', async () => {
    expect(await post('sum', BYTES, { 'content-digest': DIGEST })).toMatchObject({ exit_code: 0 });
    const wrong = await post('sum', chunked(BYTES.subarray(1)), { 'content-digest': DIGEST });
    expect(wrong).toMatchObject({ status: 400, code: 'invalid_argument' });
    expect(wrong.error).toContain('another SHA-256');
  });

  test('a GET has no body, and another endpoint reads none', async () => {
    const got = await call('sum', { headers: { accept: 'application/json' } });
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await post('plain', 'text')).toMatchObject({ status: 415 });
  });
}

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  await Bun.write(join(folder.path, 'bytes'), BYTES);
});
afterAll(() => folder[Symbol.asyncDispose]());

/** What curl prints: the answer, and with `-v` the conversation. */
async function curl(...args: readonly string[]): Promise<string> {
  const child = Bun.spawn(['curl', '-sS', '--max-time', '60', ...args], { stderr: 'pipe' });
  return (await new Response(child.stdout).text()) + (await new Response(child.stderr).text());
}

describe('on svc serve', () => {
  let world: World;
  let own: TemporaryFolder;
  beforeAll(async () => {
    own = await temporaryFolder();
    world = await serveWorld(endpoints(own.path));
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await own[Symbol.asyncDispose]();
  });

  behaviour(
    (target, init) => fetch(`${world.url}/${target}`, init),
    () => own.path,
  );

  test('memory stays flat', async () => {
    await fetch(`${world.url}/sum`, { method: 'POST', body: BYTES });
    const before = peakMiB(world.pid);
    const child = Bun.spawn(
      ['sh', '-c', `head -c 100000000 /dev/zero | curl -sS -X POST -T - ${world.url}/sum`],
      { stderr: 'inherit' },
    );
    const sum = createHash('sha256').update(Buffer.alloc(100_000_000)).digest('hex');
    expect(await new Response(child.stdout).text()).toContain(sum);
    expect(peakMiB(world.pid) - before).toBeLessThan(48);
  });
});

describe('on a hub', () => {
  let world: HubWorld;
  let agent: RealAgent;
  let own: TemporaryFolder;
  beforeAll(async () => {
    own = await temporaryFolder();
    world = await hubWorld();
    agent = await realAgent(world, endpoints(own.path));
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
    await own[Symbol.asyncDispose]();
  });
  const key = () => ({ 'x-api-key': world.start.apiKey });
  const call: Call = (target, init) =>
    fetch(world.urlOf(target), {
      ...init,
      headers: { ...key(), ...(init?.headers as Record<string, string>) },
    });

  behaviour(call, () => own.path);

  test('curl asks first whether it may send a long body', async () => {
    const said = await curl(
      '-v',
      '-H',
      `X-API-Key: ${world.start.apiKey}`,
      '-H',
      'Expect: 100-continue',
      '--data-binary',
      `@${folder.path}/bytes`,
      world.urlOf('sum'),
    );
    expect(said).toContain('100 Continue');
    expect(said).toContain(SHA_256.toHex());
  });

  const recorded = async (id: string) =>
    (await (await world.manage(`/executions/${id}`)).json()) as { status: string; error: string };

  /** A body that goes on when the test says so. */
  function openBody() {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    return {
      body: readable,
      send: (bytes: Uint8Array) => void writer.write(bytes).catch(() => undefined),
      end: () => void writer.close(),
    };
  }

  /** Reads events until one of them has this text. */
  async function seen(response: Response, part: string): Promise<void> {
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes(part)) {
      const next = await reader?.read();
      if (next?.value === undefined) throw new Error(`no ${part} in ${text}`);
      text += new TextDecoder().decode(next.value);
    }
    reader?.releaseLock();
  }

  const ended = async (id: string) => {
    for (;;) {
      const record = await recorded(id);
      if (record.status !== 'running') return record;
    }
  };

  test('a caller that leaves in the middle ends the command, which never acts on half a body', async () => {
    const leaving = new AbortController();
    const { body, send } = openBody();
    const headers = { accept: 'text/event-stream' };
    send(new TextEncoder().encode('half\n'));
    const response = await call('acts', { method: 'POST', body, signal: leaving.signal, headers });
    await seen(response, 'read');
    leaving.abort();
    expect(await ended(response.headers.get('x-execution-id') ?? '')).toMatchObject({
      status: 'cancelled',
      error: 'the input was cut off: its caller left after 5 bytes of the body',
    });
    expect(existsSync(`${own.path}/acted-on-half`)).toBe(false);
  });

  test('the same request runs once: an idempotency key needs the digest of the body', async () => {
    const post = (body: Buffer<ArrayBuffer>, digest?: string) =>
      call('sum', {
        method: 'POST',
        body,
        headers: {
          accept: 'application/json',
          'idempotency-key': 'k',
          ...(digest && { 'content-digest': digest }),
        },
      });
    expect((await post(BYTES)).status).toBe(400);
    const first = (await (await post(BYTES, DIGEST)).json()) as Answer;
    expect(await (await post(BYTES, DIGEST)).json()).toMatchObject({ execution_id: first.execution_id });
    const other = BYTES.subarray(1);
    const digest = `sha-256=:${createHash('sha256').update(other).digest('base64')}:`;
    expect((await post(other, digest)).status).toBe(422);
  });

  test('an asynchronous call is accepted when its body is there', async () => {
    const response = await call('sum', {
      method: 'POST',
      body: chunked(BYTES),
      headers: { prefer: 'respond-async' },
    });
    const { status_url: url } = (await response.json()) as { status_url: string };
    expect(response.status).toBe(202);
    const id = url.split('/').at(-1) ?? '';
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
  });

  test('what has no body is refused clearly', async () => {
    const started = await world.manage('/executions', {
      method: 'POST',
      body: JSON.stringify({ endpoint: 'sum', args: {} }),
      headers: { 'content-type': 'application/json' },
    });
    expect([started.status, await started.text()]).toMatchObject([
      400,
      expect.stringContaining('only a call over HTTP'),
    ]);
  });

  test('svc call sends its standard input, and arguments in the query', async () => {
    await Bun.write(`${folder.path}/hello`, 'hello');
    const svc = (args: string[], stdin: string) =>
      runSvc(['call', ...args], {
        cwd: folder.path,
        env: { SVC_API_KEY: world.start.apiKey },
        stdin: `${folder.path}/${stdin}`,
      });
    const summed = await svc([world.urlOf('sum')], 'bytes');
    expect([summed.stdout, summed.stderr, summed.exitCode]).toEqual([`${SHA_256.toHex()}  -\n`, '', 0]);
    const greeted = await svc([world.urlOf('greet'), 'name=Ada', '--json'], 'hello');
    expect(JSON.parse(greeted.stdout)).toMatchObject({ output: 'Ada hello' });
  });

  test('a body goes on where it was when the agent has reconnected', async () => {
    await using relay = await TcpRelay.to(new URL(world.hub.hubUrl).host);
    const far = { SVC_BASE_URL: `http://${relay.address}` };
    const command = 'dd bs=1 count=5 status=none; echo; echo half; sha256sum';
    await using other = await realAgent(world, [{ name: 'far', ...STDIN, command }], ['--name', 'far'], far);
    const { body, send, end } = openBody();
    send(BYTES.subarray(0, 1_500_000));
    const headers = { accept: 'text/event-stream' };
    const response = await call('far', { method: 'POST', body, headers });
    await seen(response, 'half');
    await other.through(async () => {
      relay.cut();
      send(BYTES.subarray(1_500_000));
      end();
      relay.mend();
    });
    const id = response.headers.get('x-execution-id') ?? '';
    expect(await ended(id)).toMatchObject({ status: 'succeeded' });
    const output = await (await world.manage(`/executions/${id}/output`)).text();
    const rest = createHash('sha256').update(BYTES.subarray(5)).digest('hex');
    expect(output).toEndWith(`half\n${rest}  -\n`);
  });
});
