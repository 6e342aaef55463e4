// Spans from a call to its command (docs/operate/tracing.md), as a collector gets them from a real hub with a real agent.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readTraceparent } from '@svc/core/trace/traceparent';
import { readHubConfig } from '@svc/hub/config';
import { Approvals } from '../approvals.ts';
import { freePort } from '../free-port.ts';
import { HubProgram } from '../hub-program.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline } from '../pipelines.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { Collector, type Received } from '../tracing/collector.ts';
import { pollPause } from '../until.ts';

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const PLANTED = `planted-${crypto.randomUUID()}`;
const ENDPOINTS = [
  { name: 'hello', command: 'echo "parent: $TRACEPARENT"' },
  { name: 'fails', command: 'echo no; exit 3' },
  { name: 'own', command: 'echo "parent: $TRACEPARENT"', env: { TRACEPARENT: 'of the endpoint' } },
  {
    name: 'secrets',
    command: 'echo "$svc:TOKEN $SVC_ARG_PLAIN $SVC_ARG_HIDDEN"; echo $svc:TOKEN >&2; exit 1',
    args: [{ name: 'plain' }, { name: 'hidden', secret: true }],
  },
  { name: 'guarded', command: 'echo guarded', approval_required: true },
];

/** The variables that make a hub send spans, soon. */
const to = (url: string) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '5' });

/** A hub that sends spans, and an agent without a collector. */
interface Traced extends AsyncDisposable {
  readonly collector: Collector;
  readonly world: HubWorld;
  readonly agent: RealAgent;
}

async function traced(env: Readonly<Record<string, string>> = {}, args: string[] = []): Promise<Traced> {
  const collector = new Collector();
  const world = await hubWorld({
    env: { SVC_RATE_LIMITS: 'off', ...to(collector.url), ...env },
  });
  const agent = await realAgent(world, ENDPOINTS, args);
  return {
    ...{ collector, world, agent },
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
      await collector[Symbol.asyncDispose]();
    },
  };
}

/** All spans of a trace, by name, once the request that began it is over. */
async function traceOf({ collector }: Traced, executionId: string, last = 'GET /v1/{username}/{slug}') {
  const server = await collector.span(
    ({ name, facts }) => name === last && facts['svc.execution.id'] === executionId,
  );
  const named = (name: string) =>
    collector.span((one) => one.traceId === server.traceId && one.name === name);
  return { server, named };
}

/** The text of a call, and which execution it was. */
async function call({ world }: Traced, slug: string, init?: RequestInit) {
  const response = await world.call(slug, init);
  const { output = '' } = (await response.json()) as { output?: string };
  return { output, id: response.headers.get('x-execution-id') ?? '' };
}

const within = (inner: Received, outer: Received) => inner.start >= outer.start && inner.end <= outer.end;

describe('a call that is traced', () => {
  let it: Traced;
  beforeAll(async () => {
    it = await traced({
      OTEL_SERVICE_NAME: 'the hub',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20key,x-other=b',
    });
  });
  afterAll(() => it[Symbol.asyncDispose]());

  test('is one trace from the request to the command, each span within its parent', async () => {
    const { output, id } = await call(it, 'hello');
    const { server, named } = await traceOf(it, id);
    const [accept, execution, dispatch, command, finish] = await Promise.all(
      ['accept', 'execution', 'dispatch', 'command', 'finish'].map(named),
    );
    if (!accept || !execution || !dispatch || !command || !finish) throw new Error('a span is missing');
    expect(server.parentSpanId).toBeUndefined();
    expect([accept.parentSpanId, execution.parentSpanId]).toEqual([server.spanId, server.spanId]);
    for (const part of [dispatch, command, finish]) {
      expect(part.parentSpanId).toBe(execution.spanId);
      expect(within(part, execution)).toBe(true);
    }
    expect(accept.end <= dispatch.start && dispatch.end <= finish.start).toBe(true);
    // Spans that the command itself makes stand under the command.
    expect(readTraceparent(/parent: (\S+)/.exec(output)?.[1])).toEqual({
      ...{ traceId: server.traceId, spanId: command.spanId, isSampled: true },
    });
    const sameExecution = { 'svc.execution.id': id };
    expect(server.facts).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/{username}/{slug}',
      'http.response.status_code': 200,
      ...sameExecution,
    });
    expect(execution.facts).toMatchObject({
      ...sameExecution,
      'svc.endpoint.slug': 'hello',
      'svc.execution.trigger': 'call',
      'svc.execution.state': 'succeeded',
      'process.exit.code': 0,
    });
    expect(command.facts).toEqual({ ...sameExecution, 'svc.endpoint.slug': 'hello', 'process.exit.code': 0 });
    expect([server, accept, execution, dispatch, command, finish].some(({ isError }) => isError)).toBe(false);
    expect([server.kind, execution.kind]).toEqual([2, 1]);
  });

  test('says who sends it, and to the collector what it wants to know', async () => {
    const { id } = await call(it, 'hello');
    const { server } = await traceOf(it, id);
    expect(server.resource).toMatchObject({ 'service.name': 'the hub', 'service.version': '0.0.0' });
    const [request] = it.collector.requests;
    expect(request?.headers.get('x-key')).toBe('a key');
    expect(request?.headers.get('x-other')).toBe('b');
  });

  test('continues in the trace of its caller', async () => {
    const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
    const { output, id } = await call(it, 'hello', { headers: { traceparent } });
    const { server } = await traceOf(it, id);
    expect([server.traceId, server.parentSpanId]).toEqual([CALLER.traceId, CALLER.spanId]);
    expect(output).toContain(`parent: 00-${CALLER.traceId}-`);
  });

  test('is not kept when its caller does not keep it, and the command gets the flag', async () => {
    const traceId = '11111111111111111111111111111111';
    const headers = { traceparent: `00-${traceId}-${CALLER.spanId}-00` };
    const { output } = await call(it, 'hello', { headers });
    expect(output).toMatch(new RegExp(`parent: 00-${traceId}-[0-9a-f]{16}-00`));
    // A later span has arrived, so this one would have arrived, too.
    const { id } = await call(it, 'hello');
    await traceOf(it, id);
    expect(it.collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
  });

  test.each([
    ['what is none', 'hello'],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${CALLER.spanId}-01`],
    ['a version that is none', `ff-${CALLER.traceId}-${CALLER.spanId}-01`],
    ['capitals', `00-${CALLER.traceId.toUpperCase()}-${CALLER.spanId}-01`],
    ['two in one', `00-${CALLER.traceId}-${CALLER.spanId}-01, 00-${CALLER.traceId}-${CALLER.spanId}-01`],
    ['what a shell would run', `00-${CALLER.traceId}-$(reboot)-01`],
    ['what is too long', `01-${CALLER.traceId}-${CALLER.spanId}-01-${'x'.repeat(8_000)}`],
  ])('begins a trace of its own when the header says %s', async (_, traceparent) => {
    const { output, id } = await call(it, 'hello', { headers: { traceparent } });
    const { server } = await traceOf(it, id);
    expect(server.parentSpanId).toBeUndefined();
    expect(server.traceId).not.toBe(CALLER.traceId);
    expect(output).toMatch(new RegExp(`^parent: 00-${server.traceId}-[0-9a-f]{16}-01$`, 'm'));
  });

  test('whose command fails is marked as failed, with the exit code', async () => {
    const { id } = await call(it, 'fails');
    const { server, named } = await traceOf(it, id);
    const [execution, command] = [await named('execution'), await named('command')];
    expect(execution.facts).toMatchObject({ 'svc.execution.state': 'failed', 'process.exit.code': 3 });
    expect([server.isError, execution.isError, command.isError]).toEqual([false, true, true]);
  });

  test('leaves the TRACEPARENT that an endpoint sets itself', async () => {
    const { output } = await call(it, 'own');
    expect(output).toContain('parent: of the endpoint');
  });

  test('as a stream is over with its last byte', async () => {
    const response = await it.world.call('hello', { headers: { accept: 'text/event-stream' } });
    const id = response.headers.get('x-execution-id') ?? '';
    await response.text();
    const { server, named } = await traceOf(it, id);
    const execution = await named('execution');
    // It may get the end before the spans of it are closed, but not before the commit.
    expect(server.end >= (await named('finish')).end).toBe(true);
    expect(execution.parentSpanId).toBe(server.spanId);
  });

  test('has no span for what only reads, and none with a path', async () => {
    await it.world.manage('/executions?limit=1');
    await fetch(`${it.world.hub.hubUrl}/join/${PLANTED}`, { method: 'POST' });
    const { id } = await call(it, 'hello');
    await traceOf(it, id);
    const routes = new Set(it.collector.spans.flatMap(({ facts }) => facts['http.route'] ?? []));
    for (const route of routes) expect(String(route)).not.toContain(PLANTED);
    expect([...routes]).toContain('/v1/{username}/{slug}');
    expect([...routes]).not.toContain('/executions');
  });

  test('no value, secret, output or command is in what the collector gets', async () => {
    const secret = (name: string) => `${PLANTED}-${name}`;
    const put = { method: 'PUT', body: JSON.stringify({ value: secret('managed') }) };
    const json = { headers: { 'content-type': 'application/json' } };
    await it.world.manage('/secrets/TOKEN', { ...put, ...json });
    const body = JSON.stringify({ plain: secret('argument'), hidden: secret('hidden') });
    const query = `?plain=${secret('query')}&hidden=${secret('query')}`;
    const posted = await call(it, 'secrets', { method: 'POST', body, ...json });
    const asked = await call(it, `secrets${query}`, {
      headers: { cookie: secret('cookie'), 'user-agent': secret('agent') },
    });
    await it.world.call(`secrets/${secret('path')}`);
    await it.world.call('secrets', { headers: { 'x-api-key': secret('key') } });
    await traceOf(it, posted.id, 'POST /v1/{username}/{slug}');
    await traceOf(it, asked.id);
    // After these two there are no further spans.
    const { id } = await call(it, 'hello');
    await traceOf(it, id);
    const sent = it.collector.bodies.join('\n');
    for (const own of [PLANTED, it.world.start.apiKey, it.world.start.agentToken, 'echo', 'parent:'])
      expect(sent).not.toContain(own);
    expect(sent).toContain(posted.id);
  });
});

describe('work after the call', () => {
  let it: Traced;
  beforeAll(async () => {
    it = await traced();
  });
  afterAll(() => it[Symbol.asyncDispose]());

  test('a run of a pipeline has its steps in it, and those their executions', async () => {
    const steps = [
      { id: 'one', endpoint: 'hello' },
      { id: 'two', endpoint: 'fails', needs: ['one'] },
    ];
    await makePipeline(it.world, { slug: 'chain', trigger: { type: 'manual' }, nodes: steps });
    const response = await it.world.call('chain', { method: 'POST' });
    const runId = response.headers.get('x-run-id');
    await response.text();
    const ofRun = (name: string, more: object = {}) =>
      it.collector.span(
        (one) =>
          one.name === name &&
          Object.entries({ 'svc.pipeline.run.id': runId, ...more }).every(
            ([key, value]) => one.facts[key] === value,
          ),
      );
    const [server, run] = [await ofRun('POST /v1/{username}/{slug}'), await ofRun('pipeline run')];
    expect(run.parentSpanId).toBe(server.spanId);
    expect(run.facts).toMatchObject({ 'svc.pipeline.slug': 'chain', 'svc.pipeline.run.state': 'failed' });
    for (const [id, state] of [
      ['one', 'succeeded'],
      ['two', 'failed'],
    ] as const) {
      const step = await ofRun('pipeline step', { 'svc.pipeline.step.id': id });
      const execution = await ofRun('execution', { 'svc.pipeline.step.id': id });
      expect([step.parentSpanId, execution.parentSpanId]).toEqual([run.spanId, step.spanId]);
      expect(step.facts['svc.pipeline.step.state']).toBe(state);
      expect([step.isError, execution.isError]).toEqual([state === 'failed', state === 'failed']);
      expect(within(execution, step) && within(step, run)).toBe(true);
    }
  });

  test('a pending call continues in its trace after the approval, with its waiting time', async () => {
    const response = await it.world.call('guarded');
    const id = response.headers.get('x-execution-id') ?? '';
    const { approval_id: approval } = (await response.json()) as { approval_id: string };
    it.world.clock.move(60_000);
    expect((await new Approvals(it.world).decide(approval, 'approve')).status).toBe(200);
    const { server, named } = await traceOf(it, id);
    const [wait, execution] = [await named('approval wait'), await named('execution')];
    expect([wait.parentSpanId, execution.parentSpanId]).toEqual([server.spanId, server.spanId]);
    expect(wait.end - wait.start >= 60_000_000_000n).toBe(true);
    expect(wait.facts).toMatchObject({ 'svc.approval.id': approval, 'svc.approval.state': 'approved' });
  });

  test('a call that was pending while the hub was replaced has a trace of its own, with the id of its execution', async () => {
    const response = await it.world.call('guarded');
    const id = response.headers.get('x-execution-id') ?? '';
    const { approval_id: approval } = (await response.json()) as { approval_id: string };
    await it.world.restart();
    expect((await new Approvals(it.world).decide(approval, 'approve')).status).toBe(200);
    const execution = await it.collector.span(
      ({ name, facts }) => name === 'execution' && facts['svc.execution.id'] === id,
    );
    expect(execution.traceId).toBe(id.replaceAll('-', ''));
  });
});

test('a fire of a schedule begins a trace, from the time at which it was due', async () => {
  await using collector = new Collector();
  await using world = await hubWorld({ env: to(collector.url) });
  await using agent = await world.agent({
    endpoints: [{ name: 'job', command: 'job', schedule: '* * * * *' }],
  });
  const minuteMs = 60_000 - (world.clock.nowMs() % 60_000);
  await world.clock.untilTimer(minuteMs);
  world.clock.move(minuteMs + 5_000);
  const id = await agent.answer('done\n');
  const ofIt = (name: string) =>
    collector.span((one) => one.name === name && one.facts['svc.execution.id'] === id);
  const [fire, execution] = [await ofIt('schedule fire'), await ofIt('execution')];
  expect(fire.traceId).toBe(id.replaceAll('-', ''));
  expect([fire.parentSpanId, execution.parentSpanId]).toEqual([undefined, fire.spanId]);
  expect(fire.end - fire.start >= 5_000_000_000n).toBe(true);
});

test('calls that wait for the hosted runner have the waiting time, each in its own trace', async () => {
  await using collector = new Collector();
  await using world = await hubWorld({
    env: { SVC_DEFAULT_PLAN: 'pro', SVC_RATE_LIMITS: 'off', ...to(collector.url) },
  });
  const cloud = { slug: 'cloud', command: 'true', agent_name: 'hosted' };
  await world.manage('/endpoints', {
    method: 'POST',
    body: JSON.stringify(cloud),
    headers: { 'content-type': 'application/json' },
  });
  await using host = await world.host({ runner: { capacity: 1 } });
  const traces = Array.from({ length: 3 }, (_, n) => `${n + 1}`.repeat(32));
  const calls = traces.map((trace) =>
    world.call('cloud', { headers: { traceparent: `00-${trace}-${CALLER.spanId}-01` } }),
  );
  const orders: string[] = [];
  for (const _ of calls) {
    const { execution_id: id, traceparent } = await host.receive('run');
    orders.push(readTraceparent(traceparent)?.traceId ?? '');
    host.end(id, 0);
  }
  await Promise.all(calls.map(async (calling) => (await calling).text()));
  expect(orders.toSorted()).toEqual(traces);
  for (const traceId of traces)
    for (const name of ['hosted wait', 'accept', 'execution', 'finish'])
      await collector.span((one) => one.traceId === traceId && one.name === name);
});

test('of an agent that runs only its own file the command gets the trace, too', async () => {
  await using it = await traced({}, ['--local-only']);
  const { output, id } = await call(it, 'hello');
  const { server } = await traceOf(it, id);
  expect(output).toContain(`parent: 00-${server.traceId}-`);
});

describe('a collector', () => {
  const read = async (world: HubWorld, name: string) => {
    const text = await (await fetch(`${world.hub.hubUrl}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  };
  const until = async (world: HubWorld, name: string, least: number) => {
    while ((await read(world, name)) < least) await pollPause();
  };
  const answering = async (world: HubWorld) => {
    const agent = await world.agent({ endpoints: [{ name: 'hello', command: 'hello' }] });
    return async () => {
      const calling = world.call('hello');
      await agent.answer('hi\n');
      expect((await calling).status).toBe(200);
    };
  };

  test('that accepts spans is counted with them', async () => {
    await using it = await traced();
    const { id } = await call(it, 'hello');
    await traceOf(it, id);
    await until(it.world, 'svc_spans_exported_total', 6);
    expect(await read(it.world, 'svc_spans_dropped_total')).toBe(0);
  });

  test('that refuses them stops no call, and they are counted as dropped', async () => {
    await using collector = new Collector();
    collector.respond = () => Promise.resolve(new Response('no', { status: 400 }));
    await using world = await hubWorld({ env: to(collector.url) });
    await (await answering(world))();
    await until(world, 'svc_spans_dropped_total', 6);
    expect(await read(world, 'svc_spans_exported_total')).toBe(0);
    expect(world.logLines.filter((line) => line.includes('collector does not take spans'))).toHaveLength(1);
  });

  test('that is unavailable stops no call, and gets later spans when it is back', async () => {
    const port = await freePort();
    await using world = await hubWorld({ env: to(`http://127.0.0.1:${port}`) });
    const callOnce = await answering(world);
    await callOnce();
    await using collector = new Collector(port);
    await callOnce();
    await collector.span(({ name }) => name === 'execution');
  });

  test('that hangs stops no call, nor the hub when it stops', async () => {
    await using collector = new Collector();
    collector.respond = () => new Promise<Response>(() => {});
    await using world = await hubWorld({ env: to(collector.url) });
    const callOnce = await answering(world);
    await callOnce();
    if (collector.requests.length === 0) await collector.next();
    for (let n = 0; n < 20; n += 1) await callOnce();
    expect(await read(world, 'svc_spans_exported_total')).toBe(0);
  });
});

test('nothing is sent, and no command gets a trace, without a configured collector', async () => {
  await using collector = new Collector();
  await using world = await hubWorld({ env: { OTEL_SERVICE_NAME: 'off', OTEL_TRACES_SAMPLER: 'always_on' } });
  await using agent = await world.agent({ endpoints: [{ name: 'hello', command: 'hello' }] });
  const calling = world.call('hello', {
    headers: { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` },
  });
  const order = await agent.receive('run');
  expect(order.traceparent).toBeUndefined();
  agent.end(order.execution_id, 0);
  expect((await calling).status).toBe(200);
  expect(collector.requests).toHaveLength(0);
});

test('with OTEL_TRACES_SAMPLER a hub keeps what it wants to, whatever callers say', async () => {
  await using it = await traced({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  const { output } = await call(it, 'hello', { headers: { traceparent } });
  expect(output).toMatch(new RegExp(`parent: 00-${CALLER.traceId}-[0-9a-f]{16}-00`));
});

test('the program itself sends spans, from source and as one file', async () => {
  await using collector = new Collector();
  await using folder = await temporaryFolder();
  await using program = await HubProgram.make(folder.path);
  await program.start(to(collector.url));
  const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
  await program.ask('/v1/nobody/nothing', { headers: { traceparent } });
  const span = await collector.span(({ traceId }) => traceId === CALLER.traceId);
  expect(span.facts).toMatchObject({ 'http.response.status_code': 404 });
});

describe('a mistake in the variables is reported at the start', () => {
  const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  test.each([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' },
      'an address that begins with http:// or https:// expected',
    ],
    [{ ...ON, OTEL_TRACES_SAMPLER: 'sometimes' }, 'OTEL_TRACES_SAMPLER is "sometimes": one of always_on, '],
    [
      { ...ON, OTEL_TRACES_SAMPLER_ARG: '1.5' },
      'OTEL_TRACES_SAMPLER_ARG is "1.5": a number from 0 to 1 expected',
    ],
    [{ ...ON, OTEL_TRACES_SAMPLER_ARG: 'half' }, 'a number from 0 to 1 expected'],
    [{ ...ON, OTEL_EXPORTER_OTLP_HEADERS: 'secret' }, 'OTEL_EXPORTER_OTLP_HEADERS: name=value expected'],
    [{ ...ON, OTEL_EXPORTER_OTLP_HEADERS: 'a b=secret' }, 'OTEL_EXPORTER_OTLP_HEADERS: name=value expected'],
    [
      { ...ON, OTEL_EXPORTER_OTLP_HEADERS: 'a=%0d%0asecret' },
      'OTEL_EXPORTER_OTLP_HEADERS: name=value expected',
    ],
    [{ ...ON, OTEL_EXPORTER_OTLP_HEADERS: 'a=%zzsecret' }, 'OTEL_EXPORTER_OTLP_HEADERS: name=value expected'],
  ])('%p', (env, message) => {
    expect(() => readHubConfig(env)).toThrow(message);
    try {
      readHubConfig(env);
    } catch (error) {
      expect(String(error)).not.toContain('secret');
    }
  });
});
