// Runs of pipelines over HTTP: how they are called and answered (decisions 20 to 23 and 43).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { LIMITS } from '@svc/core/plan/limits';
import { encodeOutputFrame } from '@svc/core/protocol/output-frame';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { eventsOf, makePipeline, messagesOf, postOf, showRun } from '../pipelines.ts';
import { INSTANCE, type ScriptedAgent } from '../scripted-agent.ts';

const ENDPOINTS = [
  { name: 'build', command: 'build' },
  { name: 'lint', command: 'lint' },
  { name: 'deploy', command: 'deploy {{tag}}', args: [{ name: 'tag', type: 'text', default: 'none' }] },
  { name: 'guarded', command: 'guarded', approval_required: true },
];
const PIECE_BYTES = 64 * 1_024;
const POST = { method: 'POST' };
const EVENTS = { method: 'POST', headers: { accept: 'text/event-stream' } };
const ASYNC = { method: 'POST', headers: { prefer: 'respond-async' } };
const step = (id: string, more: object = {}) => ({ id, endpoint: id, ...more });
const PIPELINES = [
  {
    slug: 'ship',
    nodes: [step('build'), step('deploy', { args: { tag: '{steps.build.output}' }, needs: ['build'] })],
  },
  { slug: 'one', nodes: [step('build')] },
  { slug: 'open', trigger: { type: 'manual', public: true }, nodes: [step('build')] },
  { slug: 'asks', nodes: [step('guarded'), step('build', { needs: ['guarded'] })] },
];

let world: HubWorld;
let agent: ScriptedAgent;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await world.agent({ endpoints: ENDPOINTS });
  for (const pipeline of PIPELINES) await makePipeline(world, { trigger: { type: 'manual' }, ...pipeline });
});
afterAll(() => world[Symbol.asyncDispose]());

const started = (slug: string) => agent.receive('run', ({ endpoint }) => endpoint === slug);
const exited = (code: number) => ({ kind: 'exited', exit_code: code, duration_ms: 5 }) as const;

/** Plays what the step of an endpoint does; answers the values that it was given. */
async function play(slug: string, text: string, exitCode = 0): Promise<unknown> {
  const { execution_id: id, args } = await started(slug);
  agent.output(id, 1, text);
  agent.end(id, 1, exited(exitCode));
  return args;
}

/** The transformed output, in pieces; returns the number of the last one. */
function result(executionId: string, json: string): number {
  const whole = new TextEncoder().encode(json);
  let seq = 0;
  for (let at = 0; at < whole.length; at += PIECE_BYTES) {
    seq += 1;
    const bytes = whole.subarray(at, at + PIECE_BYTES);
    agent.sayRaw(encodeOutputFrame({ kind: 'result', executionId, seq, endings: undefined, bytes }));
  }
  return seq;
}

async function accepted(slug: string, init: RequestInit = ASYNC) {
  const response = await world.call(slug, init);
  expect(response.status).toBe(202);
  return (await response.json()) as { run_id: string; status_url: string; stream_url: string };
}

async function ended(runId: string): Promise<void> {
  await eventsOf(await world.manage(`/pipeline-runs/${runId}/stream`));
}

async function runCount(): Promise<number> {
  const { items } = (await (await world.manage('/pipeline-runs?limit=100')).json()) as { items: unknown[] };
  return items.length;
}

describe('a call of a pipeline', () => {
  test('streams what its steps print, with their names, and ends in one done', async () => {
    const calling = world.call('ship', EVENTS);
    await play('build', 'v1\n');
    expect(await play('deploy', 'deployed\n')).toEqual({ tag: 'v1' });
    const response = await calling;
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Run-Id');
    const runId = response.headers.get('x-run-id') ?? '';
    const text = await response.text();
    expect(text).not.toContain('id:');
    expect(text.split('\n\n').filter((line) => line !== '' && !line.startsWith(':'))).toEqual([
      'data: {"type":"output","step":"build","data":"v1"}',
      'data: {"type":"output","step":"deploy","data":"deployed"}',
      expect.stringMatching(/^data: \{"type":"done","exit_code":0,"duration_ms":\d+\}$/),
    ]);
    expect((await showRun(world, runId)).status).toBe('succeeded');
  });

  test('answers with what each step came to, where it asks for JSON', async () => {
    const calling = world.call('ship', POST);
    await play('build', 'v1\n');
    await play('deploy', 'deployed\n');
    const response = await calling;
    expect(response.status).toBe(200);
    const shared = { status: 'succeeded', attempt: 1, execution_id: expect.any(String), exit_code: 0 };
    expect(await response.json()).toEqual({
      run_id: response.headers.get('x-run-id'),
      status: 'succeeded',
      exit_code: 0,
      duration_ms: expect.any(Number),
      steps: [
        { step: 'build', ...shared, output: 'v1\n' },
        { step: 'deploy', ...shared, output: 'deployed\n' },
      ],
    });
  });

  test('counts the data of its steps in bytes: what one answer has no room for is behind a link', async () => {
    const most = LIMITS.bufferedOutputBytes;
    for (const [characters, isThere] of [
      [most / 2 - 1, true],
      [most / 2, false],
    ] as const) {
      // Two bytes each, and two for the quotes.
      const data = `"${'ü'.repeat(characters)}"`;
      const calling = world.call('one', POST);
      const { execution_id: id } = await started('build');
      const last = result(id, data);
      agent.end(id, last, { ...exited(0), transformed: { kind: 'data' } } as ReturnType<typeof exited>);
      const { steps } = (await (await calling).json()) as { steps: Record<string, unknown>[] };
      expect([steps[0]?.data !== undefined, steps[0]?.truncated === true]).toEqual([isThere, !isThere]);
    }
  });

  test('has the exit code of the step that stopped it as its result', async () => {
    const streaming = world.call('ship', EVENTS);
    await play('build', 'no\n', 3);
    expect(await eventsOf(await streaming)).toEqual([
      { type: 'output', step: 'build', data: 'no' },
      { type: 'done', exit_code: 3, duration_ms: expect.any(Number) },
    ]);
    const calling = world.call('ship', POST);
    await play('build', 'no\n', 3);
    const response = await calling;
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      status: 'failed',
      exit_code: 3,
      steps: [
        { step: 'build', status: 'failed', exit_code: 3 },
        { step: 'deploy', status: 'skipped', attempt: 0 },
      ],
    });
  });

  test('reports a step that ended without an exit code', async () => {
    const timesOut = async () => {
      const { execution_id: id } = await started('build');
      agent.end(id, 0, { kind: 'timed_out', duration_ms: 60_000 });
    };
    const error = 'step "build": command timed out after 60 seconds';
    const streaming = world.call('one', EVENTS);
    await timesOut();
    expect(await eventsOf(await streaming)).toEqual([
      { type: 'error', error, code: 'step_failed', run_id: expect.any(String) },
    ]);
    const calling = world.call('one', POST);
    await timesOut();
    const response = await calling;
    expect(response.status).toBe(502);
    const runId = response.headers.get('x-run-id') ?? 'none';
    expect(await response.json()).toEqual({
      error,
      code: 'step_failed',
      run_id: runId,
      details: { status: 'failed', step: 'build', status_url: expect.stringContaining(runId) },
    });
  });

  test('is answered at once where it wants that, with URLs that lead on', async () => {
    const response = await world.call('one', ASYNC);
    expect(response.status).toBe(202);
    expect(response.headers.get('preference-applied')).toBe('respond-async');
    const body = (await response.json()) as { run_id: string; status_url: string };
    const url = `${world.hub.baseUrl}/pipeline-runs/${body.run_id}`;
    expect(body).toEqual({
      run_id: response.headers.get('x-run-id') ?? '',
      status: 'queued',
      status_url: url,
      stream_url: `${url}/stream`,
    } as typeof body);
    expect(response.headers.get('location')).toBe(url);
    await play('build', 'x\n');
    await ended(body.run_id);
  });

  test('ends at the cap while the run continues, with the way back to it', async () => {
    const streaming = world.call('one', EVENTS);
    const first = await started('build');
    const reading = eventsOf(await streaming);
    world.clock.move(120_000);
    const [received] = (await reading) as { error: string }[];
    const streamUrl = /https?:\S+/.exec(received?.error ?? '')?.[0] ?? '';
    expect(received?.error).toContain('120 s');
    agent.end(first.execution_id, 0, exited(0));
    const again = await fetch(streamUrl, { headers: { 'x-api-key': world.start.apiKey } });
    expect(await eventsOf(again)).toEqual([{ type: 'done', exit_code: 0, duration_ms: expect.any(Number) }]);
  });

  test('waits no longer for JSON than it prefers to', async () => {
    const calling = world.call('one', { ...POST, headers: { prefer: 'wait=7' } });
    const { execution_id: id } = await started('build');
    await world.clock.untilTimer(7_000);
    world.clock.move(7_000);
    const response = await calling;
    expect(response.status).toBe(202);
    const { run_id: runId, status } = (await response.json()) as { run_id: string; status: string };
    expect(status).toBe('running');
    agent.end(id, 0, exited(0));
    await ended(runId);
  });

  test('continues when its caller has gone', async () => {
    const leaving = new AbortController();
    const response = await world.call('ship', { ...EVENTS, signal: leaving.signal });
    const runId = response.headers.get('x-run-id') ?? '';
    leaving.abort();
    await play('build', 'v1\n');
    await play('deploy', 'deployed\n');
    await ended(runId);
    expect((await showRun(world, runId)).status).toBe('succeeded');
  });

  test('is by POST alone', async () => {
    const before = await runCount();
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
      const response = await world.call('one', { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    }
    expect((await world.call('one', { method: 'OPTIONS' })).status).toBe(204);
    expect(await runCount()).toBe(before);
  });

  test('takes what is no object for no input, and an empty one for none', async () => {
    for (const body of ['[]', '"x"', '1', 'null', '{'])
      expect((await world.call('one', { ...postOf({}), body })).status).toBe(400);
    const { run_id: runId } = await accepted('one', {
      ...postOf({ more: 1 }, { prefer: 'respond-async' }),
    });
    await play('build', 'x\n');
    await ended(runId);
    expect((await showRun(world, runId)).input).toEqual({});
  });

  test('starts nothing when a step has lost its endpoint', async () => {
    await world.manage('/endpoints', postOf({ slug: 'gone', command: 'true' }));
    await makePipeline(world, { slug: 'lost', trigger: { type: 'manual' }, nodes: [step('gone')] });
    await world.manage('/endpoints/gone', { method: 'DELETE' });
    const before = await runCount();
    const response = await world.call('lost', POST);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([409, 'stale']);
    expect(await runCount()).toBe(before);
  });
});

describe('a run that waits for approval', () => {
  test('is reported in a JSON answer, with the people who may approve', async () => {
    const response = await world.call('asks', POST);
    expect(response.status).toBe(202);
    const body = (await response.json()) as { run_id: string; approvals: { approve_url: string }[] };
    const { approve_url: approveUrl = '' } = body.approvals[0] ?? {};
    expect(body).toMatchObject({
      status: 'waiting_approval',
      approvals: [
        { step: 'guarded', status: 'pending_approval', approve_url: expect.stringContaining('/approve/') },
      ],
    });
    const page = await fetch(approveUrl);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('guarded')]);
    await world.manage(`/pipeline-runs/${body.run_id}/cancel`, POST);
    await ended(body.run_id);
  });

  test('reports it in a comment of its stream, and continues when it was approved', async () => {
    const response = await world.call('asks', EVENTS);
    const runId = response.headers.get('x-run-id') ?? '';
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const readTo = async (pattern: RegExp) => {
      while (!pattern.test(text)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(text);
        text += new TextDecoder().decode(value);
      }
    };
    await readTo(/^: step "guarded" waits for approval: (\S+)\n\n/m);
    expect(text).toContain(`/pipeline-runs/${runId}`);
    const pending = (await showRun(world, runId)).nodes.find(({ node }) => node === 'guarded');
    const approvalId = pending?.attempts[0]?.approval_id;
    await world.manage(`/approvals/${approvalId}/decide`, postOf({ decision: 'approve' }));
    await play('guarded', 'guarded ran\n');
    await play('build', 'built\n');
    await readTo(/"done"/);
    expect(text).toContain('"step":"guarded","data":"guarded ran"');
  });
});

describe('an Idempotency-Key', () => {
  test('starts one run, is refused while it runs, and gets its result afterwards', async () => {
    const init = { ...POST, headers: { 'idempotency-key': 'once' } };
    const calling = world.call('one', init);
    const { execution_id: id } = await started('build');
    const during = await world.call('one', init);
    expect([during.status, during.headers.get('retry-after')]).toEqual([409, '1']);
    agent.output(id, 1, 'first\n');
    agent.end(id, 1, exited(0));
    const first = await calling;
    const again = await world.call('one', init);
    expect(await again.json()).toEqual(await first.json());
    expect(agent.unread('run')).toBe(0);
    const streamed = await world.call('one', { ...EVENTS, headers: { ...EVENTS.headers, ...init.headers } });
    expect(await eventsOf(streamed)).toContainEqual({ type: 'output', step: 'build', data: 'first' });
  });

  test('is one of its pipeline and its credential', async () => {
    const init = { ...POST, headers: { 'idempotency-key': 'mine', prefer: 'respond-async' } };
    const mine = await accepted('one', init);
    const others = await accepted('ship', init);
    const response = await world.call('one', {
      ...init,
      headers: { ...init.headers, 'x-api-key': world.start.accessToken },
    });
    const { run_id: ofMember } = (await response.json()) as { run_id: string };
    expect(new Set([mine.run_id, others.run_id, ofMember]).size).toBe(3);
    for (let n = 0; n < 3; n += 1) await play('build', 'x\n');
    await play('deploy', 'x\n');
    for (const runId of [mine.run_id, others.run_id, ofMember]) await ended(runId);
  });
});

describe('Last-Event-ID', () => {
  test('never starts a run: it continues with the run of the id, or ends the stream', async () => {
    const calling = world.call('ship', {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'cache-control': 'no-cache' },
    });
    await play('build', 'one\ntwo\n');
    const messages = messagesOf(await calling);
    const first = (await messages.next()).value?.lastEventId ?? '';
    expect(first).toMatch(/^[0-9a-f-]{36}\/0,0:1:1\.1$/);
    await messages.return(undefined);
    const before = await runCount();
    const resuming = world.call('ship', { ...POST, headers: { 'last-event-id': first } });
    await play('deploy', 'three\n');
    const resumed = await resuming;
    expect(await eventsOf(resumed)).toEqual([
      { type: 'output', step: 'build', data: 'two' },
      { type: 'output', step: 'deploy', data: 'three' },
      { type: 'done', exit_code: 0, duration_ms: expect.any(Number) },
    ]);
    for (const id of [`${first.split('/')[0]}/end`, 'x', INSTANCE, `${first}x`])
      expect((await world.call('ship', { ...POST, headers: { 'last-event-id': id } })).status).toBe(204);
    expect(await runCount()).toBe(before);
  });
});

describe('access', () => {
  const statusOf = async (slug: string, headers: Record<string, string>, init: RequestInit = POST) =>
    (await fetch(world.urlOf(slug), { ...init, headers: { prefer: 'respond-async', ...headers } })).status;

  test('a key calls the pipelines of its scope; pipelines of others and unknown ones get the same answer', async () => {
    const made = await world.manage('/api-keys', postOf({ name: 'ci', endpoints: ['one'] }));
    const { token } = (await made.json()) as { token: string };
    const key = { 'x-api-key': token };
    expect(await statusOf('one', key)).toBe(202);
    await play('build', 'x\n');
    expect(await statusOf('ship', key)).toBe(404);
    expect(await statusOf('nowhere', key)).toBe(404);
    for (const slug of ['one', 'ship', 'nowhere']) {
      expect(await statusOf(slug, {})).toBe(401);
      expect(await statusOf(slug, { 'x-api-key': 'x' })).toBe(401);
      expect(await statusOf(slug, {}, { method: 'GET' })).toBe(401);
    }
    const listed = await fetch(`${world.hub.hubUrl}/pipeline-runs`, { headers: key });
    const { items } = (await listed.json()) as { items: { run_id: string }[] };
    expect(items).toHaveLength(1);
    const rerun = await fetch(`${world.hub.hubUrl}/pipeline-runs/${items[0]?.run_id}`, { headers: key });
    expect(rerun.status).toBe(200);
  });

  test('anybody calls a public one, and reads it with the token of the answer', async () => {
    const response = await fetch(world.urlOf('open'), { ...ASYNC });
    expect(response.status).toBe(202);
    const body = (await response.json()) as { run_id: string; status_url: string; stream_url: string };
    expect(body.status_url).toMatch(/\?token=[0-9a-f]{64}$/);
    await play('build', 'public\n');
    expect(await eventsOf(await fetch(body.stream_url))).toContainEqual({
      type: 'output',
      step: 'build',
      data: 'public',
    });
    const whole = (await (await fetch(body.status_url)).json()) as {
      nodes: { attempts: { output_url: string }[] }[];
    };
    const outputUrl = whole.nodes[0]?.attempts[0]?.output_url ?? '';
    expect(await (await fetch(outputUrl)).text()).toBe('public\n');
    const bare = body.status_url.split('?')[0] ?? '';
    expect((await fetch(bare)).status).toBe(401);
    expect((await fetch(`${bare}?token=${'0'.repeat(64)}`)).status).toBe(401);
    expect((await fetch(bare, { headers: { 'x-api-key': world.start.apiKey } })).status).toBe(404);
  });
});
