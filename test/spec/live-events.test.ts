// The events of a workspace: GET /events.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { LiveEventMessage } from '@svc/core/api/contract/live-event-message';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { LiveEventReader } from '../live-event-reader.ts';
import { MovableClock } from '../movable-clock.ts';
import { type Person, signIn } from '../people.ts';

const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'guarded', command: 'true', approval_required: true },
];
const JSON_TYPE = { 'content-type': 'application/json' };

/** Events within this time are sent together. */
const GATHER_MS = 100;

/** A clock under which that time lasts as long as the test wants. */
class GatheringClock extends MovableClock {
  #delayed: (() => unknown)[] | undefined;

  hold(): void {
    this.#delayed = [];
  }

  letGo(): void {
    const delayed = this.#delayed ?? [];
    this.#delayed = undefined;
    for (const action of delayed) action();
  }

  override at(atMs: number, action: () => unknown): () => void {
    if (this.#delayed === undefined || atMs !== this.nowMs() + GATHER_MS) return super.at(atMs, action);
    this.#delayed.push(action);
    return () => undefined;
  }
}

let clock: GatheringClock;
let world: HubWorld;
beforeEach(async () => {
  clock = new GatheringClock();
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' }, clock });
});
afterEach(() => world[Symbol.asyncDispose]());

const owner = () => ({ authorization: `Bearer ${world.start.accessToken}` });
const as = ({ cookie }: Person) => ({ cookie, 'x-svc-workspace': world.start.username });

function follow(headers: Readonly<Record<string, string>> = owner(), query = ''): Promise<LiveEventReader> {
  return LiveEventReader.open(`${world.hub.hubUrl}/events${query}`, headers);
}

async function followed(headers: Readonly<Record<string, string>> = owner()): Promise<LiveEventReader> {
  const reader = await follow(headers);
  expect((await reader.next())?.event).toEqual({ type: 'ready' });
  return reader;
}

const isOf = (type: LiveEventMessage['type']) => (event: LiveEventMessage) => event.type === type;
const putSecret = (name: string) =>
  world.manage(`/secrets/${name}`, { method: 'PUT', headers: JSON_TYPE, body: '{"value":"a value"}' });

describe('the events of a workspace', () => {
  test('include an agent, its endpoints, and each state of an execution', async () => {
    await using reader = await followed();
    const agent = await world.agent({ endpoints: ENDPOINTS });
    expect((await reader.until(isOf('agent'))).event).toEqual({
      type: 'agent',
      agent_name: 'default',
      status: 'connected',
    });
    const called = world.call('job');
    const { execution_id: id } = await agent.receive('run');
    const about = { type: 'execution', execution_id: id, endpoint: 'job' };
    expect((await reader.until(isOf('execution'))).event).toMatchObject({ ...about, status: 'running' });
    agent.output(id, 1, 'x\n');
    agent.end(id, 1);
    await called;
    expect((await reader.until(isOf('execution'))).event).toMatchObject({ ...about, status: 'succeeded' });
    await agent.vanish();
    expect((await reader.until(isOf('agent'))).event).toMatchObject({ status: 'gone' });
    await world.call('job');
    expect((await reader.until(isOf('execution'))).event).toMatchObject({
      status: 'rejected',
      reason: 'agent_offline',
    });
  });

  test('include the registration of an agent, before it is online', async () => {
    await using reader = await followed();
    await using _agent = await world.agent({ endpoints: ENDPOINTS });
    // The first hello of a token binds it.
    expect((await reader.until(isOf('change'))).event).toMatchObject({ action: 'agent_token.bound' });
    expect((await reader.until(isOf('change'))).event).toMatchObject({
      action: 'agent.registered',
      kind: 'agent',
      name: 'default',
    });
  });

  test('include an approval, from the call to the end of its execution', async () => {
    await using agent = await world.agent({ endpoints: ENDPOINTS });
    const approvals = new Approvals(world);
    await using reader = await followed();
    const { approval_id: id, executionId } = await approvals.callForApproval('guarded');
    const about = {
      type: 'approval' as const,
      approval_id: id,
      execution_id: executionId,
      endpoint: 'guarded',
    };
    expect((await reader.until(isOf('execution'))).event).toMatchObject({ status: 'pending_approval' });
    expect((await reader.until(isOf('approval'))).event).toEqual({ ...about, status: 'pending_approval' });
    await approvals.decide(id, 'approve');
    expect((await reader.until(isOf('approval'))).event).toEqual({ ...about, status: 'approved' });
    await agent.answer('done\n');
    await reader.until((event) => event.type === 'execution' && event.status === 'succeeded');
    const { approval_id: other } = await approvals.callForApproval('guarded');
    await approvals.decide(other, 'deny');
    await reader.until((event) => event.type === 'approval' && event.status === 'denied');
  });

  test('include a queued execution that is cancelled', async () => {
    const agent = await world.agent({ endpoints: ENDPOINTS });
    const approvals = new Approvals(world);
    const { approval_id: id, executionId } = await approvals.callForApproval('guarded');
    await agent.vanish();
    await using reader = await followed();
    await approvals.decide(id, 'approve');
    await reader.until((event) => event.type === 'execution' && event.status === 'queued');
    await world.manage(`/executions/${executionId}/cancel`, { method: 'POST' });
    await reader.until((event) => event.type === 'execution' && event.status === 'cancelled');
  });

  test('include a pipeline run, each state of its nodes, and the executions of its steps', async () => {
    await using agent = await world.agent({ endpoints: ENDPOINTS });
    const nodes = [{ id: 'one', endpoint: 'job' }];
    const made = await world.manage('/pipelines', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ slug: 'chain', nodes }),
    });
    expect(made.status).toBe(201);
    await using reader = await followed();
    const run = world.call('chain', { method: 'POST' });
    const { execution_id } = await agent.receive('run');
    agent.output(execution_id, 1, 'x\n');
    agent.end(execution_id, 1);
    const received: LiveEventMessage[] = [];
    await reader.until((event) => {
      received.push(event);
      return event.type === 'pipeline_run' && event.status === 'succeeded';
    });
    const { run_id } = received.at(-1) as Extract<LiveEventMessage, { type: 'pipeline_run' }>;
    const node = { type: 'pipeline_node', run_id, node: 'one' } as const;
    expect(received).toContainEqual({ type: 'pipeline_run', run_id, pipeline: 'chain', status: 'succeeded' });
    expect(received).toContainEqual({ ...node, status: 'succeeded' });
    expect(received.some((event) => event.type === 'execution' && event.execution_id === execution_id)).toBe(
      true,
    );
    expect((await run).status).toBe(200);
  });

  test('include a fire that starts, and one that is missed', async () => {
    const schedule = '* * * * *';
    const agent = await world.agent({ endpoints: [{ name: 'tick', command: 'true', schedule }] });
    await using reader = await followed();
    world.clock.move(60_000);
    await agent.answer('tick\n');
    const { event: fired } = await reader.until(
      (event) => event.type === 'execution' && event.status === 'succeeded',
    );
    expect(fired).toMatchObject({ endpoint: 'tick', trigger: 'schedule' });
    await agent.vanish();
    await reader.until((event) => event.type === 'agent' && event.status === 'gone');
    world.clock.move(60_000);
    await reader.until((event) => event.type === 'execution' && event.status === 'missed');
  });

  test('are limited to what a role may list', async () => {
    const lin = await new Approvals(world).member('lin@example.com');
    await using all = await followed();
    await using some = await followed(as(lin));
    await putSecret('DEPLOY_KEY');
    await world.manage('/endpoints', {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ slug: 'made', command: 'true' }),
    });
    expect((await all.until(isOf('change'))).event).toMatchObject({ kind: 'secret', name: 'DEPLOY_KEY' });
    expect((await some.until(isOf('change'))).event).toMatchObject({ kind: 'endpoint', name: 'made' });
  });

  test('are those of the workspace that is asked for', async () => {
    const stranger = await signIn(world, 'stranger@example.com');
    await using theirs = await followed({ cookie: stranger.cookie });
    await putSecret('OURS');
    await stranger.ask('PUT', '/secrets/THEIRS', { body: { value: 'a value' } });
    expect((await theirs.until(isOf('change'))).event).toMatchObject({ name: 'THEIRS' });
    const refused = await fetch(`${world.hub.hubUrl}/events`, { headers: as(stranger) });
    expect(refused.status).toBe(403);
  });

  test('continue after a lost connection, or report that some were missed', async () => {
    const first = await followed();
    await putSecret('ONE');
    const { id } = await first.until(isOf('change'));
    await first[Symbol.asyncDispose]();
    await putSecret('TWO');
    await putSecret('THREE');
    await using again = await follow({ ...owner(), 'last-event-id': id });
    expect([(await again.next())?.event, (await again.next())?.event]).toMatchObject([
      { name: 'TWO' },
      { name: 'THREE' },
    ]);
    await world.restart();
    await using later = await follow(owner(), `?after=${id}`);
    expect((await later.next())?.event).toEqual({ type: 'reset' });
  });

  test('are batched when there are thousands, so that the reader keeps up', async () => {
    await using agent = await world.agent({ endpoints: ENDPOINTS });
    await using reader = await followed();
    const calls = 400;
    clock.hold();
    const started = Array.from({ length: calls }, () =>
      world.call('job', { headers: { prefer: 'respond-async' } }),
    );
    for (let at = 0; at < calls; at += 1) await agent.answer('x\n');
    await Promise.all(started);
    await putSecret('LAST');
    clock.letGo();
    let received = 0;
    for (;;) {
      const { event } = (await reader.next()) ?? {};
      if (event?.type === 'executions') received += event.count;
      if (event?.type === 'change') break;
    }
    expect(received).toBeGreaterThan(calls / 2);
    // One by one they would be twice as many, of 170 bytes each.
    expect(reader.bytes).toBeLessThan((calls * 2 * 170) / 2);
  });
});

test('HEAD of the events opens nothing that would stay open', async () => {
  for (let asked = 0; asked < 31; asked += 1) {
    const head = await fetch(`${world.hub.hubUrl}/events`, { method: 'HEAD', headers: owner() });
    expect(head.status).toBe(200);
  }
  await using reader = await follow();
  expect((await reader.next())?.event).toEqual({ type: 'ready' });
});

describe('the events end', () => {
  test('when a member is removed, at once', async () => {
    const lin = await new Approvals(world).member('lin@example.com');
    await using reader = await followed(as(lin));
    const { items } = (await (await world.manage('/team/members')).json()) as { items: { id: string }[] };
    await world.manage(`/team/members/${items[0]?.id}`, { method: 'DELETE' });
    expect(await reader.rest()).toEqual([]);
  });

  test('when a role is another one', async () => {
    const lin = await new Approvals(world).member('lin@example.com', 'admin');
    await using reader = await followed(as(lin));
    const { items } = (await (await world.manage('/team/members')).json()) as { items: { id: string }[] };
    await world.manage(`/team/members/${items[0]?.id}`, {
      method: 'PATCH',
      headers: JSON_TYPE,
      body: '{"role":"member"}',
    });
    expect((await reader.rest()).filter(isOf('execution'))).toEqual([]);
  });

  test('when the session signs out', async () => {
    const person = await signIn(world, 'ada@example.com');
    await using reader = await followed({ cookie: person.cookie });
    await person.ask('POST', '/auth/logout');
    expect((await reader.rest()).filter(isOf('execution'))).toEqual([]);
  });

  test('when the hub stops, cleanly: no connection is cut off', async () => {
    await using reader = await followed();
    await world.restart();
    expect(await reader.rest()).toEqual([]);
  });
});
