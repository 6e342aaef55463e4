// A call through the hub: references 4.1, 5, 6 and 7, decisions 9, 11 and 14 to 25. The agent is played by the test.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { EventSource } from 'eventsource';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { readText } from '../read-text.ts';
import { EXITED, type ScriptedAgent } from '../scripted-agent.ts';
import { withoutComments } from '../without-comments.ts';

const ENDPOINTS = [
  { name: 'hello', command: 'echo "Hello, {{name}}!"', args: [{ name: 'name', default: 'world' }] },
  { name: 'post-only', command: 'true', method: 'POST' },
  { name: 'open', command: 'true', public: true },
  { name: 'stops', command: 'true', on_disconnect: 'cancel' },
  { name: 'two', command: 'true', max_concurrent: 2 },
  { name: 'away', command: 'true', agent_name: 'elsewhere' },
  { name: 'secret', command: 'printenv SVC_ARG_PIN', args: [{ name: 'pin', secret: true }] },
];

let world: HubWorld;
let agent: ScriptedAgent;
beforeAll(async () => {
  world = await hubWorld();
  agent = await world.agent({ endpoints: ENDPOINTS });
});
afterAll(() => world[Symbol.asyncDispose]());

const EVENTS = { headers: { accept: 'text/event-stream' } };
const DONE = 'data: {"type":"done","exit_code":0,"duration_ms":5}\n\n';
const line = (data: string) => `data: {"type":"output","data":"${data}"}\n\n`;

async function json(response: Response | Promise<Response>) {
  return (await (await response).json()) as Record<string, unknown>;
}

async function played(called: Promise<Response>, text = 'x\n'): Promise<Response> {
  await agent.answer(text);
  return called;
}

/** Settles when this many of the calls have been answered. */
function untilAnswered(calls: readonly Promise<Response>[], count: number): Promise<void> {
  let answered = 0;
  return new Promise((resolve) => {
    for (const call of calls) {
      void call.then(() => {
        answered += 1;
        if (answered === count) resolve();
      });
    }
  });
}

describe('an answer', () => {
  test('comes through hub and agent as JSON', async () => {
    const called = world.call('hello?name=Ada');
    const run = await agent.receive('run');
    expect(run).toMatchObject({ endpoint: 'hello', args: { name: 'Ada' }, secrets: {} });
    agent.output(run.execution_id, 1, 'Hello, Ada!\n');
    agent.end(run.execution_id, 1);
    const response = await called;
    expect([response.status, await response.json()]).toEqual([
      200,
      { output: 'Hello, Ada!\n', exit_code: 0, execution_id: run.execution_id },
    ]);
    expect(response.headers.get('x-execution-id')).toBe(run.execution_id);
  });

  test('arrives as events, each at once', async () => {
    const called = world.call('hello', EVENTS);
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'one\n');
    const response = await called;
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('x-execution-id')).toBe(id);
    const pieces = readText(response);
    const next = async () => withoutComments((await pieces.next()).value ?? '');
    let first = await next();
    while (first === '') first = await next();
    expect(first).toBe(line('one'));
    agent.output(id, 2, 'two\n');
    agent.end(id, 2);
    let rest = '';
    for await (const piece of pieces) rest += piece;
    expect(withoutComments(rest)).toBe(line('two') + DONE);
  });

  test('keeps what the events do not say: line ends and a last line without one', async () => {
    const response = played(world.call('hello'), 'a\r\nb\nc');
    expect(await json(response)).toMatchObject({ output: 'a\r\nb\nc', exit_code: 0 });
  });

  test('has the exit code of a command that failed, with status 200', async () => {
    const called = world.call('hello');
    await agent.answer('x\n', { kind: 'exited', exit_code: 3, duration_ms: 1 });
    expect(await json(called)).toMatchObject({ output: 'x\n', exit_code: 3 });
  });

  test('of more than 1 MiB names the size and the link to the rest', async () => {
    const called = world.call('hello');
    const { execution_id: id } = await agent.receive('run');
    const text = `${'x'.repeat(50_000)}\n`;
    for (let seq = 1; seq <= 30; seq += 1) agent.output(id, seq, text);
    agent.end(id, 30);
    const body = await json(called);
    expect([(body.output as string).length, body.truncated]).toEqual([1024 * 1024, true]);
    const whole = await fetch(body.output_url as string, { headers: { 'x-api-key': world.start.apiKey } });
    expect(await whole.text()).toBe(text.repeat(30));
  });

  test('has the data of a transform, as it was written, and the event of it', async () => {
    const send = async () => {
      const { execution_id: id } = await agent.receive('run');
      const { encodeOutputFrame } = await import('@svc/core/protocol/output-frame');
      const piece = (seq: number, text: string) =>
        encodeOutputFrame({
          kind: 'result',
          executionId: id,
          seq,
          endings: undefined,
          bytes: new TextEncoder().encode(text),
        });
      agent.sayRaw(piece(1, '{"big":1234567890'));
      agent.sayRaw(piece(2, '1234567890}'));
      agent.end(id, 2, { ...EXITED, transformed: { kind: 'data' } } as typeof EXITED);
    };
    const [buffered] = await Promise.all([world.call('hello'), send()]);
    expect(await buffered.text()).toStartWith('{"data":{"big":12345678901234567890},"exit_code":0,');
    const [events] = await Promise.all([world.call('hello', EVENTS), send()]);
    expect(withoutComments(await events.text())).toBe(
      `data: {"type":"transformed_output","data":{"big":12345678901234567890}}\n\n${DONE}`,
    );
  });
});

describe('no', () => {
  const stranger = { headers: { 'x-api-key': `svc_sk_${'0'.repeat(49)}` } };
  const withoutKey = { headers: { 'x-api-key': '' } };

  test.each([
    ['without a key', withoutKey],
    ['with an unknown key', stranger],
    ['with an agent token', { headers: { 'x-api-key': 'agent' } }],
  ])('401 %s, whether the URL exists or not, and the same body', async (_, init) => {
    const bodies = await Promise.all(['hello', 'nothing'].map((slug) => json(world.call(slug, init))));
    const foreign = await json(fetch(`${world.hub.baseUrl}/v1/nobody-here/hello`, init));
    expect(new Set([...bodies, foreign].map((body) => JSON.stringify(body))).size).toBe(1);
    expect(foreign).toEqual({ error: expect.any(String), code: 'unauthorized' });
    expect((await world.call('hello', init)).status).toBe(401);
  });

  test('404 with a key, for an unknown endpoint and an unknown user alike', async () => {
    const [endpoint, user, longer] = await Promise.all([
      world.call('nothing'),
      fetch(`${world.hub.baseUrl}/v1/nobody-here/hello`, { headers: { 'x-api-key': world.start.apiKey } }),
      world.call('hello/more'),
    ]);
    expect([endpoint.status, user.status, longer.status]).toEqual([404, 404, 404]);
    expect(await endpoint.text()).toBe(await user.text());
  });

  test('404 with a key whose scope lacks the endpoint, 200 with one that has it', async () => {
    const make = async (endpoints: string[]) =>
      (await json(
        world.manage('/api-keys', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ name: 'scoped', endpoints }),
        }),
      )) as { token: string; id: string };
    const outside = await make(['post-only']);
    const inside = await make(['hello']);
    expect((await world.call('hello', { headers: { 'x-api-key': outside.token } })).status).toBe(404);
    expect((await played(world.call('hello', { headers: { 'x-api-key': inside.token } }))).status).toBe(200);
    expect((await world.manage(`/api-keys/${inside.id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await world.call('hello', { headers: { 'x-api-key': inside.token } })).status).toBe(401);
  });

  test('405 for another method, with Allow; HEAD executes nothing', async () => {
    const response = await world.call('post-only');
    expect([response.status, response.headers.get('allow'), (await json(response)).code]).toEqual([
      405,
      'POST',
      'method_not_allowed',
    ]);
    expect((await world.call('hello', { method: 'HEAD' })).status).toBe(405);
    expect((await world.call('hello', { method: 'DELETE' })).headers.get('allow')).toBe('GET, POST');
  });

  test('400, 413 and 415 for values that do not fit', async () => {
    const post = (body: string, type = 'application/json') =>
      world.call('hello', { method: 'POST', body, headers: { 'content-type': type } });
    expect(await json(world.call('hello?nmae=x'))).toMatchObject({ code: 'invalid_argument' });
    expect(await json(post('{"name":'))).toMatchObject({ code: 'invalid_json' });
    expect((await post('x', 'text/plain')).status).toBe(415);
    expect((await post(JSON.stringify({ name: 'x'.repeat(65_537) }))).status).toBe(413);
    expect((await post(JSON.stringify({ name: 'x'.repeat(1024 * 1024) }))).status).toBe(413);
  });

  test('429 for more at a time than the endpoint allows, even when they come at once', async () => {
    const calls = Array.from({ length: 5 }, () => world.call('two'));
    const ids = [await agent.receive('run'), await agent.receive('run')].map((run) => run.execution_id);
    await untilAnswered(calls, 3);
    for (const id of ids) agent.end(id, 0);
    const statuses = (await Promise.all(calls)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 429, 429, 429]);
    expect(agent.unread('run')).toBe(0);
  });

  test('502 when no agent is connected that could run it, on record, with its id', async () => {
    const response = await world.call('away');
    const body = await json(response);
    expect([response.status, body.code]).toEqual([502, 'agent_offline']);
    expect(body.error).toContain('no agent is connected');
    expect(response.headers.get('x-execution-id')).toBe(body.execution_id as string);
    expect(await json(world.manage(`/executions/${body.execution_id}`))).toMatchObject({
      status: 'rejected',
      reason: 'agent_offline',
    });
  });

  test.each([
    [{ kind: 'timed_out', duration_ms: 60_000 }, 502, 'timeout', 'command timed out after 60 seconds'],
    [
      { kind: 'not_started', reason: 'not_found', message: 'no such program' },
      502,
      'spawn_failed',
      'no such program',
    ],
    [{ kind: 'lost', message: 'the worker died' }, 502, 'lost', 'the worker died'],
    [{ kind: 'cancelled', duration_ms: 1 }, 502, 'cancelled', 'cancelled'],
    [{ ...EXITED, transformed: { kind: 'failed', reason: 'no JSON' } }, 502, 'transform_failed', 'no JSON'],
    [
      { kind: 'refused', reason: 'local_only', code: 'agent_refused', message: 'only its own' },
      403,
      'agent_refused',
      'only its own',
    ],
  ] as const)('for an execution that ended as %p', async (ending, status, code, message) => {
    const called = world.call('hello');
    const { execution_id: id } = await agent.receive('run');
    agent.end(id, 0, ending as typeof EXITED);
    const response = await called;
    const body = await json(response);
    expect([response.status, body.code, response.headers.get('x-execution-id')]).toEqual([status, code, id]);
    expect(body.error).toContain(message);
    const stream = world.call('hello', EVENTS);
    const { execution_id: second } = await agent.receive('run');
    agent.end(second, 0, ending as typeof EXITED);
    const text = withoutComments(await (await stream).text());
    expect([(await stream).status, text]).toEqual([
      200,
      `data: ${JSON.stringify({ type: 'error', error: body.error, code, execution_id: second })}\n\n`,
    ]);
  });
});

describe('a public endpoint', () => {
  test('needs no key, and a page of any site may call it', async () => {
    const response = await played(fetch(world.urlOf('open'), { headers: { accept: 'application/json' } }));
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Execution-Id');
    const preflight = await fetch(world.urlOf('open'), { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
      204,
      expect.stringContaining('X-API-Key'),
    ]);
  });

  test('gives its caller a token that reads the execution, and without which it is hidden', async () => {
    const response = await fetch(world.urlOf('open'), { headers: { prefer: 'respond-async' } });
    const body = (await json(response)) as { status_url: string; stream_url: string; execution_id: string };
    expect(response.status).toBe(202);
    await agent.answer('hi\n');
    expect(await (await fetch(body.stream_url)).text()).toContain('"done"');
    expect(await json(fetch(body.status_url))).toMatchObject({ status: 'succeeded', output: 'hi\n' });
    expect((await fetch(body.status_url.split('?')[0] ?? '')).status).toBe(401);
    expect((await fetch(`${body.status_url.slice(0, -1)}x`)).status).toBe(401);
  });
});

describe('Prefer', () => {
  test('respond-async gives 202 at once and the URLs to follow it', async () => {
    const response = await world.call('hello', { headers: { prefer: 'respond-async' } });
    const body = (await json(response)) as { execution_id: string; status_url: string; stream_url: string };
    expect([response.status, response.headers.get('location')]).toEqual([202, body.status_url]);
    const status = () => json(fetch(body.status_url, { headers: { 'x-api-key': world.start.apiKey } }));
    expect(await status()).toMatchObject({
      execution_id: body.execution_id,
      status: 'running',
      endpoint: 'hello',
    });
    await agent.answer('later\n');
    const stream = await fetch(body.stream_url, { headers: { 'x-api-key': world.start.apiKey } });
    expect(await stream.text()).toBe(`: \n\nid: 1.1\n${line('later')}id: end\n${DONE}`);
    expect(await status()).toMatchObject({ status: 'succeeded', exit_code: 0, output: 'later\n' });
  });

  test('the cap ends the answer and not the execution', async () => {
    const [buffered, events] = [world.call('hello'), world.call('hello', EVENTS)];
    const ids = [(await agent.receive('run')).execution_id, (await agent.receive('run')).execution_id];
    for (const id of ids) agent.output(id, 1, 'begun\n');
    const stream = await events;
    world.clock.move(120_000);
    const accepted = await buffered;
    expect([accepted.status, ids]).toEqual([
      202,
      expect.arrayContaining([(await json(accepted)).execution_id]),
    ]);
    const text = await stream.text();
    expect(text).toContain('"type":"error"');
    expect(text).toContain('120 s');
    expect(text).toContain(`/executions/${stream.headers.get('x-execution-id')}/stream`);
    for (const id of ids) agent.end(id, 1);
    await Promise.all(ids.map((id) => agent.receive('ended_ack', (frame) => frame.execution_id === id)));
    for (const id of ids)
      expect(await json(world.manage(`/executions/${id}`))).toMatchObject({ status: 'succeeded' });
  });

  test('wait lowers the cap', async () => {
    const called = world.call('hello', { headers: { prefer: 'wait=3' } });
    const { execution_id: id } = await agent.receive('run');
    world.clock.move(3_000);
    expect((await called).status).toBe(202);
    agent.end(id, 0);
  });
});

describe('a stream of an execution', () => {
  test('is replayed and followed without gap or double, from wherever the reader was', async () => {
    const called = world.call('hello', { headers: { prefer: 'respond-async' } });
    const { execution_id: id } = await agent.receive('run');
    await called;
    agent.output(id, 1, 'a\nb\n');
    agent.output(id, 2, 'c\n');
    await agent.receive('ack', (ack) => ack.execution_id === id && ack.seq === 2);
    const from = (after: string) =>
      world.manage(`/executions/${id}/stream`, after === '' ? {} : { headers: { 'last-event-id': after } });
    const streams = await Promise.all(['', '0', '1.1', '1', '2.1', '2'].map(from));
    agent.output(id, 3, 'd\n');
    agent.end(id, 3);
    const texts = (await Promise.all(streams.map((stream) => stream.text()))).map(withoutComments);
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(line);
    const end = `id: 3.1\n${d}id: end\n${DONE}`;
    expect(texts).toEqual([
      `id: 1.1\n${a}id: 1.2\n${b}id: 2.1\n${c}${end}`,
      `id: 1.1\n${a}id: 1.2\n${b}id: 2.1\n${c}${end}`,
      `id: 1.2\n${b}id: 2.1\n${c}${end}`,
      `id: 2.1\n${c}${end}`,
      end,
      end,
    ]);
    const query = await world.manage(`/executions/${id}/stream?after=2`);
    expect(withoutComments(await query.text())).toBe(end);
    expect((await from('end')).status).toBe(204);
    expect((await from('nonsense')).status).toBe(400);
  });
});

describe('EventSource', () => {
  test('continues where it was after its connection broke, and reconnects no more after the end', async () => {
    const runs: string[] = [];
    const got: string[] = [];
    const { promise: second, resolve: reconnected } = Promise.withResolvers<void>();
    let requests = 0;
    const { promise: over, resolve: finished } = Promise.withResolvers<number>();
    const source = new EventSource(world.urlOf('hello'), {
      fetch: async (url, init) => {
        requests += 1;
        const headers = { ...init.headers, 'x-api-key': world.start.apiKey, 'cache-control': 'no-cache' };
        const response = await fetch(url, { ...init, headers } as RequestInit);
        if (requests === 2) reconnected();
        if (response.status === 204) finished(requests);
        return requests === 1 ? cutAfter(response, 'two') : response;
      },
    });
    source.onmessage = ({ data }) => got.push(data);
    const { execution_id: id } = await agent.receive('run');
    runs.push(id);
    agent.output(id, 1, 'one\ntwo\n');
    await second;
    agent.output(id, 2, 'three\n');
    agent.end(id, 2);
    expect(await over).toBe(3);
    source.close();
    expect(got.map((data) => (JSON.parse(data) as { data?: string; type: string }).data ?? 'done')).toEqual([
      'one',
      'two',
      'three',
      'done',
    ]);
    expect([runs.length, agent.unread('run')]).toEqual([1, 0]);
  });

  test('a request with Last-Event-ID never runs anything', async () => {
    for (const id of ['x', '0', crypto.randomUUID(), `${crypto.randomUUID()}/1.1`]) {
      const response = await world.call('hello', { headers: { ...EVENTS.headers, 'last-event-id': id } });
      expect(response.status).toBe(204);
    }
    expect(agent.unread('run')).toBe(0);
  });
});

/** Breaks the body off behind the event with this data. */
function cutAfter(response: Response, data: string): Response {
  const cut = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk);
      if (new TextDecoder().decode(chunk).includes(`"data":"${data}"`)) controller.terminate();
    },
  });
  return new Response(response.body?.pipeThrough(cut), response);
}

describe('a caller that leaves', () => {
  test('does not stop the command', async () => {
    const leaving = new AbortController();
    const called = world.call('hello', { ...EVENTS, signal: leaving.signal });
    const { execution_id: id } = await agent.receive('run');
    leaving.abort();
    await called.catch(() => undefined);
    agent.output(id, 1, 'on\n');
    agent.end(id, 1);
    await agent.receive('ended_ack', (frame) => frame.execution_id === id);
    expect(await json(world.manage(`/executions/${id}`))).toMatchObject({
      status: 'succeeded',
      output: 'on\n',
    });
    expect(agent.unread('cancel')).toBe(0);
  });

  test.each(['application/json', 'text/event-stream'])(
    'stops it where the endpoint allows it (%s)',
    async (accept) => {
      const leaving = new AbortController();
      const called = world.call('stops', { headers: { accept }, signal: leaving.signal });
      const { execution_id: id } = await agent.receive('run');
      if (accept !== 'application/json') {
        agent.output(id, 1, 'begun\n');
        await called;
      }
      leaving.abort();
      await called.catch(() => undefined);
      await agent.receive('cancel', (frame) => frame.execution_id === id);
      agent.end(id, accept === 'application/json' ? 0 : 1, { kind: 'cancelled', duration_ms: 1 });
    },
  );
});

describe('Idempotency-Key', () => {
  const keyed = (key: string, slug = 'hello', init: RequestInit = {}) =>
    world.call(slug, { ...init, headers: { 'idempotency-key': key, ...(init.headers as object) } });

  test('the second of two equal requests gets the answer of the first and runs nothing', async () => {
    const first = await played(keyed('k1'), 'once\n');
    const id = first.headers.get('x-execution-id');
    const second = await keyed('k1');
    expect([second.status, await second.json()]).toMatchObject([200, { output: 'once\n', exit_code: 0 }]);
    expect(second.headers.get('x-execution-id')).toBe(id);
    const events = await keyed('k1', 'hello', EVENTS);
    expect(withoutComments(await events.text())).toBe(line('once') + DONE);
    expect(agent.unread('run')).toBe(0);
  });

  test('409 while the first runs, 422 for another request, and both name the execution', async () => {
    const first = keyed('k2');
    const { execution_id: id } = await agent.receive('run');
    const same = await keyed('k2');
    expect([same.status, await same.json()]).toEqual([
      409,
      { error: expect.any(String), code: 'idempotency_in_progress', execution_id: id },
    ]);
    expect(await json(keyed('k2', 'hello?name=other'))).toMatchObject({
      code: 'idempotency_mismatch',
      execution_id: id,
    });
    agent.end(id, 0);
    expect((await first).status).toBe(200);
  });

  test('of twenty at once one runs', async () => {
    const calls = Array.from({ length: 20 }, () => keyed('k3'));
    const { execution_id: id } = await agent.receive('run');
    await untilAnswered(calls, 19);
    agent.end(id, 0);
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(19);
    expect(agent.unread('run')).toBe(0);
  });

  test('a call that found no agent does not use the key up', async () => {
    expect((await keyed('k4', 'away')).status).toBe(502);
    expect((await keyed('k4', 'away')).status).toBe(502);
  });
});

describe('cancel', () => {
  test('asks the agent, whose answer ends it', async () => {
    const called = world.call('hello');
    const { execution_id: id } = await agent.receive('run');
    expect((await world.manage(`/executions/${id}/cancel`, { method: 'POST' })).status).toBe(202);
    await agent.receive('cancel', (frame) => frame.execution_id === id);
    agent.end(id, 0, { kind: 'cancelled', duration_ms: 7 });
    expect((await called).status).toBe(502);
    expect(await json(world.manage(`/executions/${id}`))).toMatchObject({
      status: 'cancelled',
      code: 'cancelled',
    });
  });
});

test('secret values are nowhere in the store', async () => {
  const called = world.call('secret', {
    method: 'POST',
    body: '{"pin":"tell-nobody-4711"}',
    headers: { 'content-type': 'application/json' },
  });
  const run = await agent.receive('run');
  expect(run.args).toEqual({ pin: 'tell-nobody-4711' });
  agent.end(run.execution_id, 0);
  await called;
  const files = [...new Bun.Glob('**').scanSync({ cwd: world.dataDir, absolute: true })];
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(await Bun.file(file).text()).not.toContain('tell-nobody-4711');
});
