// The stream of a run: all steps in one row, live or from the record, from wherever the reader was (decision 20,
// asynchronous calls and records, and decision 43, calling a pipeline).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { eventsOf, makePipeline, messagesOf, postOf, showRun } from '../pipelines.ts';
import { realAgent } from '../real-agent.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const ASYNC = { method: 'POST', headers: { prefer: 'respond-async' } };
const SIDES = ['left', 'middle', 'right'] as const;
const DONE = { type: 'done', exit_code: 0, duration_ms: expect.any(Number) };

interface Message {
  readonly id: string;
  readonly event: { readonly type: string; readonly step?: string; readonly data?: unknown };
}

let world: HubWorld;
let agent: ScriptedAgent;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await world.agent({
    endpoints: [...SIDES, 'join', 'flaky'].map((name) => ({ name, command: name })),
  });
  const step = (id: string, more: object = {}) => ({ id, endpoint: id, ...more });
  await makePipeline(world, {
    slug: 'fan',
    trigger: { type: 'manual' },
    nodes: [...SIDES.map((id) => step(id)), step('join', { needs: SIDES })],
  });
  await makePipeline(world, {
    slug: 'again',
    trigger: { type: 'manual' },
    nodes: [step('flaky', { retry: { limit: 1, backoff: 0 } }), step('join', { needs: ['flaky'] })],
  });
  await makePipeline(world, {
    slug: 'chooses',
    trigger: { type: 'manual' },
    nodes: [
      step('left'),
      { id: 'asks', kind: 'condition', expression: '{steps.left.exit_code} == 1', needs: ['left'] },
      step('join', { needs: ['asks'] }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

async function begun(slug: string): Promise<string> {
  const response = await world.call(slug, ASYNC);
  return ((await response.json()) as { run_id: string }).run_id;
}

const stream = (runId: string, query = '') => world.manage(`/pipeline-runs/${runId}/stream${query}`);

async function collected(response: Response): Promise<Message[]> {
  const messages: Message[] = [];
  for await (const { lastEventId, data } of messagesOf(response))
    messages.push({ id: lastEventId, event: JSON.parse(data) as Message['event'] });
  return messages;
}

/** The part of a stream that is the same for every reader: the output of each step, in its order, and the end. */
function byStep(messages: readonly Message[]) {
  return Object.fromEntries(
    [...Map.groupBy(messages, ({ event }) => event.step ?? event.type)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([step, found]) => [step, found.map(({ event }) => event.data ?? event.type)]),
  );
}

const started = (slug: string) => agent.receive('run', ({ endpoint }) => endpoint === slug);
const end = (id: string, lastSeq: number, code = 0) =>
  agent.end(id, lastSeq, { kind: 'exited', exit_code: code, duration_ms: 5 });

/** Plays three steps side by side, their pieces in turns, and one after them. */
async function playFan(): Promise<void> {
  const runs = await Promise.all(
    SIDES.map(async (slug) => ({ slug, id: (await started(slug)).execution_id })),
  );
  for (let seq = 1; seq <= 4; seq += 1)
    for (const { slug, id } of runs) agent.output(id, seq, `${slug} ${seq}a\n${slug} ${seq}b\n`);
  for (const { id } of [...runs].reverse()) end(id, 4);
  const join = await started('join');
  agent.output(join.execution_id, 1, 'joined\n');
  end(join.execution_id, 1);
}

describe('the stream of a run', () => {
  test('has side by side what runs side by side, and from the record the same as live', async () => {
    const runId = await begun('fan');
    const live = collected(await stream(runId));
    await playFan();
    const seen = await live;
    expect(seen).toHaveLength(3 * 8 + 2);
    const sides = seen.slice(0, 12).map(({ event }) => event.step);
    expect(new Set(sides).size).toBeGreaterThan(1);
    expect(seen.slice(-2).map(({ event }) => event)).toEqual([
      { type: 'output', step: 'join', data: 'joined' },
      DONE,
    ] as unknown as Message['event'][]);
    // Three steps are read to their ends, as bits; of the fourth one event of one piece.
    expect(seen.at(-2)?.id).toBe('7,3:1:1.1');
    const replayed = await collected(await stream(runId));
    expect(byStep(replayed)).toEqual(byStep(seen));
    expect(replayed.slice(-2).map(({ id }) => id)).toEqual(['7,3:1:1.1', 'end']);
    const turns = replayed.filter(({ event }, at) => event.step !== replayed[at - 1]?.event.step);
    expect(turns).toHaveLength(5);
    expect(byStep(seen).left).toEqual(
      ['1a', '1b', '2a', '2b', '3a', '3b', '4a', '4b'].map((it) => `left ${it}`),
    );
  });

  test('continues after each of its events, of the live stream and of the record, with nothing lost or doubled', async () => {
    const runId = await begun('fan');
    const live = collected(await stream(runId));
    await playFan();
    const whole = byStep(await live);
    for (const read of [await live, await collected(await stream(runId))]) {
      for (const [index, { id }] of read.entries()) {
        if (id === 'end') continue;
        const rest = await collected(await stream(runId, `?after=${encodeURIComponent(id)}`));
        expect(byStep([...read.slice(0, index + 1), ...rest])).toEqual(whole);
      }
    }
    expect((await stream(runId, '?after=end')).status).toBe(204);
    expect((await stream(runId, '?after=nonsense')).status).toBe(400);
  });

  test('has all steps, however many run side by side', async () => {
    const ids = Array.from({ length: 150 }, (_, number) => `s${number}`);
    const nodes = ids.map((id) => ({ id, endpoint: 'left' }));
    await makePipeline(world, { slug: 'wide', trigger: { type: 'manual' }, nodes });
    const runId = await begun('wide');
    const live = collected(await stream(runId));
    const runs: string[] = [];
    for (const _ of ids) runs.push((await started('left')).execution_id);
    for (const id of runs) agent.output(id, 1, 'one\n');
    // The last ones first: what the reader does not follow yet is read when it has ended.
    for (const id of runs.reverse()) end(id, 1);
    const wanted = { done: ['done'], ...Object.fromEntries(ids.map((id) => [id, ['one']])) };
    const seen = await live;
    expect(byStep(seen)).toEqual(wanted);
    expect(Math.max(...seen.map(({ id }) => id.length))).toBeLessThan(1_500);
    for (const at of [1, 75, 149]) {
      const rest = await collected(await stream(runId, `?after=${encodeURIComponent(seen[at]?.id ?? '')}`));
      expect(byStep([...seen.slice(0, at + 1), ...rest])).toEqual(wanted);
    }
  });

  test('continues live in the middle of a running step', async () => {
    const runId = await begun('fan');
    const runs = await Promise.all(SIDES.map(async (slug) => (await started(slug)).execution_id));
    for (const id of runs) agent.output(id, 1, 'one\ntwo\n');
    const first: Message[] = [];
    for await (const { lastEventId, data } of messagesOf(await stream(runId))) {
      first.push({ id: lastEventId, event: JSON.parse(data) as Message['event'] });
      if (first.length === 3) break;
    }
    const second = collected(
      await world.manage(`/pipeline-runs/${runId}/stream`, {
        headers: { 'last-event-id': first.at(-1)?.id ?? '' },
      }),
    );
    for (const id of runs) {
      agent.output(id, 2, 'three\n');
      end(id, 2);
    }
    end((await started('join')).execution_id, 0);
    const lines = ['one', 'two', 'three'];
    expect(byStep([...first, ...(await second)])).toEqual({
      done: ['done'],
      left: lines,
      middle: lines,
      right: lines,
    });
  });

  test('has nothing that its reader has, also where the hub did not live to store it', async () => {
    const runId = await begun('chooses');
    const { execution_id: id } = await started('left');
    agent.output(id, 1, 'one\n');
    await agent.receive('ack', (frame) => frame.execution_id === id);
    const reading = await stream(runId, '?after=0,0:1:2.1');
    agent.output(id, 2, 'two\nthree\n');
    agent.output(id, 3, 'four\n');
    end(id, 3);
    expect(byStep(await collected(reading))).toEqual({ left: ['three', 'four'], done: ['done'] });
  });

  test('has every try of a step, in order', async () => {
    const runId = await begun('again');
    const live = collected(await stream(runId));
    const first = await started('flaky');
    agent.output(first.execution_id, 1, 'first try\n');
    end(first.execution_id, 1, 1);
    const second = await started('flaky');
    agent.output(second.execution_id, 1, 'second try\n');
    end(second.execution_id, 1);
    end((await started('join')).execution_id, 0);
    const seen = await live;
    expect(byStep(seen)).toEqual({ flaky: ['first try', 'second try'], done: ['done'] });
    for (const { id } of seen.slice(0, -1)) {
      const rest = await collected(await stream(runId, `?after=${encodeURIComponent(id)}`));
      expect(rest.at(-1)?.event).toEqual(DONE as unknown as Message['event']);
      expect(rest).toHaveLength(seen.length - 1 - seen.findIndex((one) => one.id === id));
    }
  });

  test('includes the states of nodes on request, after their output', async () => {
    const runId = await begun('chooses');
    const live = eventsOf(await stream(runId, '?events=nodes'));
    const { execution_id: id } = await started('left');
    agent.output(id, 1, 'printed\n');
    end(id, 1);
    const seen = (await live) as { type: string; node?: string; state?: string }[];
    const at = (wanted: object) => seen.findIndex((event) => Bun.deepMatch(wanted, event));
    const finished = at({
      type: 'node',
      node: 'left',
      state: 'succeeded',
      attempt: 1,
      execution_id: id,
      exit_code: 0,
    });
    expect(finished).toBeGreaterThan(at({ type: 'output', step: 'left', data: 'printed' }));
    expect(at({ type: 'node', node: 'asks', state: 'succeeded', holds: false })).toBeGreaterThan(-1);
    expect(at({ type: 'node', node: 'join', state: 'skipped', attempt: 0 })).toBeGreaterThan(-1);
    expect(at({ type: 'run', state: 'succeeded' })).toBe(seen.length - 2);
    expect(seen.at(-1)).toEqual(DONE as unknown as { type: string });
    const replayed = (await eventsOf(await stream(runId, '?events=nodes'))) as { node?: string }[];
    expect(replayed.flatMap(({ node }) => node ?? [])).toEqual(['left', 'asks', 'join']);
    const bare = (await eventsOf(await stream(runId))) as { type: string }[];
    expect(bare.map(({ type }) => type)).toEqual(['output', 'done']);
  });

  test('ends with the credential that it was asked for with', async () => {
    const made = await world.manage('/api-keys', postOf({ name: 'short' }));
    const { id: keyId, token } = (await made.json()) as { id: string; token: string };
    const headers = { 'x-api-key': token, ...ASYNC.headers };
    const response = await world.call('fan', { method: 'POST', headers });
    const { run_id: runId } = (await response.json()) as { run_id: string };
    const reading = await fetch(`${world.hub.hubUrl}/pipeline-runs/${runId}/stream`, {
      headers: { 'x-api-key': token },
    });
    const events = eventsOf(reading);
    await world.manage(`/api-keys/${keyId}`, { method: 'DELETE' });
    expect(await events).toEqual([
      {
        type: 'error',
        error: expect.stringContaining('no longer work'),
        code: 'unauthorized',
        run_id: runId,
      },
    ]);
    await playFan();
  });
});

test('is read on through a restart of the hub, with nothing lost or doubled', async () => {
  await using own = await hubWorld();
  const count = 'i=0; while [ $i -lt 100 ]; do echo "$SVC_ENDPOINT $i"; i=$((i+1)); sleep 0.01; done';
  await using _agent = await realAgent(
    own,
    [...SIDES, 'join'].map((name) => ({ name, command: count })),
  );
  await makePipeline(own, {
    slug: 'fan',
    trigger: { type: 'manual' },
    nodes: [...SIDES.map((id) => ({ id, endpoint: id })), { id: 'join', endpoint: 'join', needs: SIDES }],
  });
  const response = await own.call('fan', ASYNC);
  const { run_id: runId } = (await response.json()) as { run_id: string };
  const seen: Message[] = [];
  const readOn = async (until: number) => {
    const headers = { 'last-event-id': seen.at(-1)?.id ?? '0' };
    const reading = await own.manage(`/pipeline-runs/${runId}/stream`, { headers });
    try {
      for await (const { lastEventId, data } of messagesOf(reading)) {
        seen.push({ id: lastEventId, event: JSON.parse(data) as Message['event'] });
        if (seen.length >= until) return;
      }
    } catch {
      // The hub has gone.
    }
  };
  await readOn(100);
  await own.restart();
  while (seen.at(-1)?.event.type !== 'done') await readOn(Number.POSITIVE_INFINITY);
  const lines = (name: string) => Array.from({ length: 100 }, (_, n) => `${name} ${n}`);
  expect(byStep(seen)).toEqual({
    done: ['done'],
    ...Object.fromEntries([...SIDES, 'join'].map((name) => [name, lines(name)])),
  });
  expect((await showRun(own, runId)).nodes.map(({ status }) => status)).toEqual(Array(4).fill('succeeded'));
});
