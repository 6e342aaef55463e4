// The metrics of a running hub (docs/operate/metrics.md): each one counts what it documents, once.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { readExposition, sampleOf } from '../metrics/exposition.ts';
import { type Person, signIn } from '../people.ts';
import { makePipeline } from '../pipelines.ts';
import { INSTANCE, type ScriptedAgent } from '../scripted-agent.ts';
import { pollPause } from '../until.ts';

const MINUTE_MS = 60_000;
const EXITED = { kind: 'exited', exit_code: 0, duration_ms: 3 } as const;
const ENDPOINTS = [
  { name: 'hello', command: 'hello' },
  { name: 'then', command: 'then' },
  { name: 'job', command: 'job', schedule: '* * * * *' },
];

let world: HubWorld;
let owner: Person;
let agent: ScriptedAgent;
beforeAll(async () => {
  world = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'pro', SVC_RATE_LIMITS: 'off' } });
  owner = await signIn(world, 'operator@localhost');
  agent = await world.agent({ endpoints: ENDPOINTS, instance: INSTANCE });
});
afterAll(() => world[Symbol.asyncDispose]());

type Labels = Readonly<Record<string, string>>;

async function read(name: string, labels: Labels = {}): Promise<number> {
  const response = await fetch(`${world.hub.hubUrl}/metrics`);
  return sampleOf(readExposition(await response.text()), name, labels);
}

/** Runs an action, and waits until a figure has grown; figures of an answer appear a moment later. */
async function grows(
  name: string,
  labels: Labels,
  by: number,
  action: () => Promise<unknown>,
): Promise<void> {
  const before = await read(name, labels);
  await action();
  while ((await read(name, labels)) < before + by) await pollPause();
  expect(await read(name, labels)).toBe(before + by);
}

async function play(slug: string, player = agent): Promise<void> {
  const { execution_id: id } = await player.receive('run', ({ endpoint }) => endpoint === slug);
  player.output(id, 1, 'some output\n');
  player.output(id, 2, 'some more\n');
  player.end(id, 2, EXITED);
}

async function call(slug: string, init?: RequestInit): Promise<string> {
  const calling = world.call(slug, init);
  await play(slug);
  return await (await calling).text();
}

const EVENTS = { headers: { accept: 'text/event-stream' } };

test.each([
  ['svc_call_duration_seconds_count', { outcome: 'ok' }],
  ['svc_execution_first_output_seconds_count', {}],
  ['svc_execution_duration_seconds_count', { state: 'succeeded' }],
  ['svc_execution_overhead_seconds_count', { runner: 'agent' }],
  ['svc_accept_seconds_count', {}],
  ['svc_dispatch_seconds_count', {}],
  ['svc_finish_seconds_count', {}],
])('%s counts a call once, whichever way it is answered', async (name, labels) => {
  await grows(name, labels, 1, () => call('hello'));
  await grows(name, labels, 1, () => call('hello', EVENTS));
});

test('a stream is a call until its last byte, and is open until then', async () => {
  const labels = { outcome: 'ok' };
  const ended = await read('svc_call_duration_seconds_count', labels);
  const response = await world.call('hello', EVENTS);
  expect(response.status).toBe(200);
  expect(await read('svc_call_duration_seconds_count', labels)).toBe(ended);
  // This one, and the request for the figures; those of before are forgotten a moment after their last byte.
  while ((await read('svc_http_requests_open')) !== 2) await pollPause();
  await grows('svc_call_duration_seconds_count', labels, 1, async () => {
    await play('hello');
    await response.text();
  });
});

test('calls are counted by how they were answered, and by nothing else', async () => {
  await grows('svc_call_duration_seconds_count', { outcome: 'refused' }, 2, async () => {
    expect((await world.call('nowhere')).status).toBe(404);
    expect((await world.call('hello', { headers: { 'x-api-key': 'wrong' } })).status).toBe(401);
  });
  await grows('svc_call_duration_seconds_count', { outcome: 'accepted' }, 1, async () => {
    expect((await world.call('hello', { headers: { prefer: 'respond-async' } })).status).toBe(202);
    // Nobody waits for its end, and its output counts.
    await grows('svc_executions_ended_total', { state: 'succeeded' }, 1, () => play('hello'));
  });
  const text = await (await fetch(`${world.hub.hubUrl}/metrics`)).text();
  for (const own of [world.start.username, 'hello', 'nowhere']) expect(text).not.toContain(own);
});

test('a preflight request of a browser is not a call', async () => {
  const before = await read('svc_call_duration_seconds_count', { outcome: 'ok' });
  expect((await fetch(world.urlOf('hello'), { method: 'OPTIONS' })).status).toBe(204);
  expect(await read('svc_http_answers_total', { status: '204' })).toBe(1);
  expect(await read('svc_call_duration_seconds_count', { outcome: 'ok' })).toBe(before);
});

test('output is counted in the bytes of its events', async () => {
  const before = await read('svc_output_bytes_total');
  const text = await call('hello', EVENTS);
  const sent = text.split('\n\n').filter((event) => event.includes('"output"'));
  expect(sent.length).toBe(2);
  expect((await read('svc_output_bytes_total')) - before).toBe(`${sent.join('\n\n')}\n\n`.length);
});

test('commits are counted with the writes that shared them', async () => {
  await call('hello');
  const [commits, sum] = [
    await read('svc_store_commit_writes_count'),
    await read('svc_store_commit_writes_sum'),
  ];
  expect(commits).toBeGreaterThan(0);
  expect(sum).toBeGreaterThanOrEqual(commits);
  expect(await read('svc_store_commit_seconds_count')).toBeGreaterThanOrEqual(commits);
});

test('a step of a pipeline has its overhead, the first as well as those that follow', async () => {
  await makePipeline(world, {
    slug: 'chain',
    trigger: { type: 'manual' },
    nodes: [
      { id: 'a', endpoint: 'hello' },
      { id: 'b', endpoint: 'then', needs: ['a'] },
    ],
  });
  await grows('svc_pipeline_step_overhead_seconds_count', {}, 2, async () => {
    const calling = world.call('chain', { method: 'POST' });
    await play('hello');
    await play('then');
    await (await calling).text();
  });
});

test('a fire is as late as the clock says', async () => {
  const before = await read('svc_schedule_lateness_seconds_sum');
  await grows('svc_schedule_lateness_seconds_count', {}, 1, async () => {
    await world.clock.untilTimer(MINUTE_MS - (world.clock.nowMs() % MINUTE_MS));
    world.clock.move(MINUTE_MS - (world.clock.nowMs() % MINUTE_MS) + 7_000);
    await play('job');
  });
  const lateSec = (await read('svc_schedule_lateness_seconds_sum')) - before;
  expect(lateSec).toBeGreaterThanOrEqual(7);
});

test('the time of a registration and of an absence is measured', async () => {
  await grows('svc_agent_absence_seconds_count', {}, 1, async () => {
    await agent.vanish();
    await grows('svc_agent_registration_seconds_count', {}, 1, async () => {
      while ((await read('svc_agents_connected')) > 0) await pollPause();
      agent = await world.agent({ endpoints: ENDPOINTS, instance: INSTANCE });
    });
  });
});

test('a hosted call has waited for its place, and its overhead is not that of agents', async () => {
  await owner.ask('POST', '/endpoints', { body: { slug: 'cloud', command: 'true', agent_name: 'hosted' } });
  await using host = await world.host();
  await grows('svc_hosted_wait_seconds_count', {}, 1, () =>
    grows('svc_execution_overhead_seconds_count', { runner: 'hosted' }, 1, async () => {
      const calling = world.call('cloud');
      await play('cloud', host);
      await (await calling).text();
    }),
  );
});

test('the process says how it is', async () => {
  expect(await read('process_start_time_seconds')).toBeLessThan(Date.now() / 1000);
  for (const name of [
    'process_resident_memory_bytes',
    'process_heap_bytes',
    'process_open_fds',
    'process_cpu_seconds_total',
  ])
    expect(await read(name)).toBeGreaterThan(0);
  while ((await read('svc_event_loop_delay_seconds_count')) === 0) await pollPause();
});
