// A call reaches one hub while its agent is connected to another: it runs there, once, and its output is followed here.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HubWorld } from '../hub-world.ts';
import type { NatsServer } from '../nats.ts';
import { postOf } from '../pipelines.ts';
import { TailStream } from '../tail-reader.ts';
import { until } from '../until.ts';
import {
  clusterMissing,
  knowEachOther,
  ready,
  strangerOn,
  type TwoHubs,
  twoHubs,
  untilOnline,
} from './hubs.ts';

const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'left', command: 'true', on_disconnect: 'cancel' as const },
  { name: 'single', command: 'true', max_concurrent: 1 },
  { name: 'guarded', command: 'true', max_concurrent: 1, approval_required: true },
];
const LINE = 'x'.repeat(99);
const ASYNC = { headers: { prefer: 'respond-async' } };

describe.skipIf(clusterMissing !== undefined)('a call to a hub without the agent', () => {
  let hubs: TwoHubs;
  let nats: NatsServer;
  let worlds: readonly HubWorld[];
  let one: HubWorld;
  let other: HubWorld;
  beforeAll(async () => {
    hubs = await twoHubs();
    ({ nats, worlds, one, other } = hubs);
  }, 60_000);
  afterAll(() => hubs[Symbol.asyncDispose](), 60_000);

  /** An agent of its own, known to both hubs. */
  async function agentOf(world: HubWorld, instance: string = crypto.randomUUID()) {
    const agent = await world.agent({ endpoints: ENDPOINTS, instance });
    await untilOnline(one, instance);
    return agent;
  }
  const streamed = (world: HubWorld, slug = 'job', init: RequestInit = {}) =>
    world.call(slug, { ...init, headers: { accept: 'text/event-stream' } });
  const shown = async (id: string) =>
    (await (await one.manage(`/executions/${id}`)).json()) as Record<string, unknown>;

  test('is answered with what its agent gives, and is on record once', async () => {
    await using agent = await agentOf(other);
    const answer = one.call('job');
    const id = await agent.answer('hello\n');
    const response = await answer;
    expect([response.status, response.headers.get('x-execution-id')]).toEqual([200, id]);
    expect(await response.json()).toMatchObject({ output: 'hello\n', exit_code: 0 });
    await agent.receive('ended_ack');
    expect(agent.unread('run')).toBe(0);
    expect(await shown(id)).toMatchObject({ status: 'succeeded', output: 'hello\n' });
  });

  test('is 403 and no stream where its agent runs only its own file', async () => {
    const instance = crypto.randomUUID();
    await using agent = await other.agent({ endpoints: [], instance, isLocalOnly: true });
    await untilOnline(one, instance);
    expect((await one.manage('/endpoints', postOf({ slug: 'api', command: 'true' }))).status).toBe(201);
    const answer = streamed(one, 'api');
    const { execution_id: id } = await agent.receive('run');
    const ending = { kind: 'refused', reason: 'local_only', code: 'agent_refused', message: 'only its own' };
    agent.end(id, 0, ending as never);
    const response = await answer;
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { code: 'agent_refused', execution_id: id },
    ]);
    expect((await one.manage('/endpoints/api', { method: 'DELETE' })).status).toBe(204);
  });

  test('streams as it happens', async () => {
    await using agent = await agentOf(other);
    const answer = streamed(one);
    const { execution_id: id } = await agent.receive('run');
    const reader = await readerOf(await answer);
    for (const [at, text] of ['first', 'second', 'third'].entries()) {
      agent.output(id, at + 1, `${text}\n`);
      expect(await reader.until(`"${text}"`)).toContain(`"${text}"`);
    }
    agent.end(id, 3);
    expect(await reader.rest()).toContain('"done"');
  });

  test('shows its output to a tail at either hub', async () => {
    await using agent = await agentOf(other);
    const headers = { authorization: `Bearer ${one.start.accessToken}` };
    await using near = await TailStream.open(`${other.hub.hubUrl}/tail?endpoint=job`, headers);
    await using far = await TailStream.open(`${one.hub.hubUrl}/tail?endpoint=job`, headers);
    const answer = one.call('job');
    const { execution_id: id } = await agent.receive('run');
    // The broker keeps the order of what one hub publishes: the request for the tail arrived before the call.
    agent.output(id, 1, 'first\n');
    agent.output(id, 2, 'last\n');
    agent.end(id, 2);
    await answer;
    const first = { type: 'line', execution_id: id, endpoint: 'job', data: 'first' } as const;
    expect([await far.next(), await near.next()]).toEqual([first, first]);
    expect(await far.until('last')).toEqual(['last']);
    expect(await near.until('last')).toEqual(['last']);
  });

  test('streams more than is ever on its way at once, in order, without gap or double', async () => {
    await using agent = await agentOf(other);
    const answer = streamed(one);
    const { execution_id: id } = await agent.receive('run');
    const pieces = 60;
    const linesOf = 1_000;
    for (let piece = 0; piece < pieces; piece += 1) {
      const lines = Array.from({ length: linesOf }, (_, at) => `${piece * linesOf + at} ${LINE}\n`);
      agent.output(id, piece + 1, lines.join(''));
    }
    agent.end(id, pieces);
    const numbers = [...(await (await answer).text()).matchAll(/"data":"(\d+) x/g)].map(([, n]) => Number(n));
    expect(numbers).toHaveLength(pieces * linesOf);
    expect(numbers.findIndex((number, at) => number !== at)).toBe(-1);
  });

  test('is refused at once when no hub has the agent, and the refusal is recorded', async () => {
    const response = await one.call('job');
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ code: 'agent_offline' });
  });

  test('is one call, however often it comes with the same Idempotency-Key, at whichever hub', async () => {
    await using agent = await agentOf(other);
    const headers = {
      'x-api-key': one.start.apiKey,
      'idempotency-key': crypto.randomUUID(),
      prefer: 'respond-async',
    };
    const [a, b] = await Promise.all([one.call('job', { headers }), other.call('job', { headers })]);
    const { execution_id: id } = await agent.receive('run');
    expect([a.status, b.status].sort()).toEqual([202, 409]);
    agent.end(id, 0);
    await agent.receive('ended_ack');
    const again = await one.call('job', { headers });
    expect(again.headers.get('x-execution-id')).toBe(id);
    expect(agent.unread('run')).toBe(0);
  });

  test('is ended by a cancellation from any hub, and by a caller who leaves where the endpoint allows it', async () => {
    await using agent = await agentOf(other);
    const asynchronous = await one.call('job', { headers: { prefer: 'respond-async' } });
    const { execution_id: first } = (await asynchronous.json()) as { execution_id: string };
    await agent.receive('run', ({ execution_id }) => execution_id === first);
    await one.manage(`/executions/${first}/cancel`, { method: 'POST' });
    await agent.receive('cancel', ({ execution_id }) => execution_id === first);
    const leaving = new AbortController();
    const answer = streamed(one, 'left', { signal: leaving.signal });
    const { execution_id: second } = await agent.receive('run');
    await answer;
    leaving.abort();
    await agent.receive('cancel', ({ execution_id }) => execution_id === second);
  });

  test('is refused as busy by the hub that counts, which is the one of the agent', async () => {
    await using agent = await agentOf(other);
    const first = one.call('single');
    const { execution_id: id } = await agent.receive('run');
    const second = await one.call('single');
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({ code: 'concurrency_limited' });
    agent.end(id, 0);
    expect((await first).status).toBe(200);
    expect(agent.unread('run')).toBe(0);
  });

  test('is begun only under the usual conditions, and once, however often it is requested on the bus', async () => {
    await using agent = await agentOf(other);
    await using stranger = await strangerOn(nats);
    const hubId = readFileSync(join(other.dataDir, 'hub.id'), 'utf8').trim();
    const callForApproval = async () => {
      const response = await other.call('guarded');
      const { approval_id: approvalId } = (await response.json()) as { approval_id: string };
      const decide = () => other.manage(`/approvals/${approvalId}/decide`, postOf({ decision: 'approve' }));
      return { id: response.headers.get('x-execution-id') ?? '', decide };
    };
    const [first, second] = [await callForApproval(), await callForApproval()];
    const takes = (id: string) =>
      Promise.all(
        Array.from({ length: 20 }, () => stranger.bus.ask(hubId, { type: 'take', executionId: id }, 10_000)),
      );
    const answersOf = async (id: string) =>
      new Set(
        (await takes(id)).map((asked) =>
          asked.kind === 'answered' && asked.frame.type === 'taken' ? asked.frame.as : asked.kind,
        ),
      );
    expect(await answersOf(first.id)).toEqual(new Set(['not_queued']));
    expect(await answersOf(crypto.randomUUID())).toEqual(new Set(['not_queued']));
    await first.decide();
    await agent.receive('run', ({ execution_id }) => execution_id === first.id);
    await second.decide();
    // The endpoint is busy. Requests that arrive while the queue looks at an earlier one find nothing queued.
    for (const answer of await answersOf(second.id)) expect(['busy', 'not_queued']).toContain(answer);
    expect(agent.unread('run')).toBe(0);
    const asked = takes(second.id);
    agent.end(first.id, 0);
    await asked;
    await takes(second.id);
    await agent.receive('run', ({ execution_id }) => execution_id === second.id);
    expect(await answersOf(second.id)).toEqual(new Set(['not_queued']));
    expect(agent.unread('run')).toBe(0);
    agent.end(second.id, 0);
    await agent.receive('ended_ack', ({ execution_id }) => execution_id === second.id);
  });

  test('continues where it was when its agent moves to the hub of its caller, or away from it', async () => {
    const instance = crypto.randomUUID();
    const before = await agentOf(other, instance);
    const answers = [streamed(one), streamed(other)];
    const runs = [await before.receive('run'), await before.receive('run')].map(({ execution_id: id }) => id);
    const readers = await Promise.all(answers.map(async (answer) => await readerOf(await answer)));
    for (const id of runs) before.output(id, 1, 'before\n');
    for (const reader of readers) await reader.until('"before"');
    for (const id of runs) await before.receive('ack', ({ execution_id }) => execution_id === id);
    const inFlight = runs.map((id) => ({ execution_id: id, last_seq: 1, ended: false }));
    await using after = await one.agent({ endpoints: ENDPOINTS, instance, inFlight });
    await before.vanish();
    expect(after.welcome.resume.map(({ stored_seq }) => stored_seq)).toEqual([1, 1]);
    for (const id of runs) {
      after.output(id, 2, 'after\n');
      after.end(id, 2);
    }
    for (const reader of readers) {
      const rest = await reader.rest();
      expect(rest.match(/"after"/g)).toHaveLength(1);
      expect(rest).not.toContain('"before"');
      expect(rest).toContain('"done"');
    }
  });

  test('continues from the record while the bus is lost', async () => {
    await using agent = await agentOf(other);
    const answer = streamed(one);
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'before\n');
    const reader = await readerOf(await answer);
    await reader.until('"before"');
    await nats.kill();
    try {
      for (const world of worlds)
        await until(async () => JSON.stringify(await ready(world)) === '[200,{"ready":true,"bus":"lost"}]');
      agent.output(id, 2, 'meanwhile\n');
      agent.end(id, 2);
      await agent.receive('ended_ack');
      // No frame announces the change: the hub polls after a while.
      let isOver = false;
      const rest = reader.rest().finally(() => (isOver = true));
      await until(async () => {
        one.clock.move(1_000);
        // Not faster than the hub can check: the rate limit of its tokens would last half a day.
        await ready(one);
        return isOver;
      });
      expect((await rest).match(/"meanwhile"/g)).toHaveLength(1);
      const refused = await one.call('job');
      expect(refused.status).toBe(502);
    } finally {
      await nats.start();
    }
    await knowEachOther(worlds);
  });

  test('of an endpoint for "default" is refused when agents of two names are connected', async () => {
    expect((await one.manage('/endpoints', postOf({ slug: 'any', command: 'true' }))).status).toBe(201);
    await using agent = await one.agent({ endpoints: ENDPOINTS, name: 'a', instance: crypto.randomUUID() });
    const alone = one.call('any', { headers: { prefer: 'respond-async' } });
    await agent.receive('run');
    expect((await alone).status).toBe(202);
    await using second = await other.agent({ endpoints: [], name: 'b', instance: crypto.randomUUID() });
    await until(async () => (await one.call('any', { headers: { prefer: 'respond-async' } })).status === 502);
    expect(second.unread('run')).toBe(0);
  });

  test('of the hosted runner goes to the hub that has a host', async () => {
    await using host = await other.host();
    const made = { slug: 'hosted', command: 'true', agent_name: 'hosted' };
    expect((await one.manage('/endpoints', postOf(made))).status).toBe(201);
    // The host's connection is about to be recorded.
    await until(async () => (await one.call('hosted', ASYNC)).status === 202);
    await host.answer('first\n');
    const answer = one.call('hosted');
    const id = await host.answer('from the host\n');
    expect(await (await answer).json()).toMatchObject({ output: 'from the host\n', exit_code: 0 });
    expect(await shown(id)).toMatchObject({ status: 'succeeded' });
  });
});

/** Reads a stream piece by piece. */
async function readerOf(response: Response) {
  expect(response.status).toBe(200);
  const stream = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  const more = async () => {
    const { done, value } = (await stream?.read()) ?? { done: true, value: undefined };
    text += decoder.decode(value, { stream: !done });
    return !done;
  };
  return {
    async until(part: string): Promise<string> {
      while (!text.includes(part)) if (!(await more())) break;
      const given = text;
      text = '';
      return given;
    },
    async rest(): Promise<string> {
      while (await more());
      return text;
    },
  };
}
