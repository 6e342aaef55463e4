// Cancelling an execution whose agent is away, or that has not begun (decision 18, time-out and cancel, and decision 24, states
// and takeover).
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { readDefinition } from '@svc/core/protocol/definition';
import { createStore } from '@svc/hub/build/create-store';
import type { NewExecution } from '@svc/hub/executions/execution-ports';
import { newExecution, STORE_OPTIONS } from '@svc/hub/platform/db/fixtures/samples';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { until } from '../until.ts';

const ENDPOINTS = [
  { name: 'job', command: 'true' },
  { name: 'wanted', command: 'true', on_disconnect: 'cancel' },
];
const CANCELLED = { kind: 'cancelled', duration_ms: 5 } as const;

let world: HubWorld;
let agent: ScriptedAgent;
beforeEach(async () => {
  world = await hubWorld();
  agent = await connect();
});
afterEach(() => world[Symbol.asyncDispose]());

const connect = (options: Partial<Parameters<HubWorld['agent']>[0]> = {}) =>
  world.agent({ endpoints: ENDPOINTS, ...options });

async function started(): Promise<string> {
  await world.call('job', { headers: { prefer: 'respond-async' } });
  return (await agent.receive('run')).execution_id;
}

async function execution(id: string) {
  return (await (await world.manage(`/executions/${id}`)).json()) as Record<string, unknown>;
}

async function cancel(id: string): Promise<unknown> {
  const response = await world.manage(`/executions/${id}/cancel`, { method: 'POST' });
  expect(response.status).toBe(202);
  return ((await response.json()) as { status: string }).status;
}

const inFlight = (id: string) => [{ execution_id: id, last_seq: 0, ended: false }];

describe('while the agent is away', () => {
  test.each(['', ', and the hub is restarted'])(
    'the agent gets the cancellation when it is back%s',
    async (restarts) => {
      const id = await started();
      await agent.vanish();
      expect(await cancel(id)).toBe('running');
      if (restarts) await world.restart();
      const back = await connect({ inFlight: inFlight(id) });
      expect(back.welcome.resume).toEqual([{ execution_id: id, stored_seq: 0 }]);
      expect(await back.receive('cancel')).toMatchObject({ execution_id: id });
      back.end(id, 0, CANCELLED);
      await back.receive('ended_ack');
      expect(await execution(id)).toMatchObject({ status: 'cancelled', code: 'cancelled' });
    },
  );

  test.each(['', ', and the hub is restarted'])('what it never got never starts%s', async (restarts) => {
    const id = await started();
    await agent.vanish();
    expect(await cancel(id)).toBe('running');
    if (restarts) await world.restart();
    const back = await connect();
    await until(async () => (await execution(id)).status !== 'running');
    expect(await execution(id)).toMatchObject({
      status: 'cancelled',
      code: 'cancelled',
      error: expect.stringContaining('before it started'),
    });
    expect([back.unread('run'), back.unread('cancel')]).toEqual([0, 0]);
  });

  test('an execution that ended by itself meanwhile keeps its end', async () => {
    const id = await started();
    await agent.vanish();
    await cancel(id);
    const back = await connect({ inFlight: [{ execution_id: id, last_seq: 0, ended: true }] });
    back.end(id, 0);
    await back.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'succeeded' });
  });

  test('and longer than 120 s: it is lost, and cancelled once the agent is back after all', async () => {
    const id = await started();
    await agent.vanish();
    await cancel(id);
    await world.untilNoAgent();
    world.clock.move(120_001);
    await until(async () => (await execution(id)).status === 'lost');
    const back = await connect({ inFlight: inFlight(id) });
    expect(await back.receive('cancel')).toMatchObject({ execution_id: id });
    back.end(id, 0, CANCELLED);
    await back.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'cancelled', late: true });
  });

  test('a caller whose leaving cancels may leave: the agent gets the cancellation when it is back', async () => {
    const caller = new AbortController();
    const called = world.call('wanted', { signal: caller.signal }).catch(() => undefined);
    const { execution_id: id } = await agent.receive('run');
    await agent.vanish();
    caller.abort();
    await called;
    const back = await connect({ inFlight: inFlight(id) });
    expect(await back.receive('cancel')).toMatchObject({ execution_id: id });
  });
});

test('the agent gets a cancellation at once while it is connected, and again only after it was away', async () => {
  const id = await started();
  expect(await cancel(id)).toBe('running');
  await agent.receive('cancel', ({ execution_id }) => execution_id === id);
  agent.end(id, 0, CANCELLED);
  await agent.receive('ended_ack');
  expect(await cancel(id)).toBe('cancelled');
  const back = await connect();
  expect(back.unread('cancel')).toBe(0);
});

test('a queued execution is cancelled at once and never starts, and the one beside it does', async () => {
  const [one, other] = await queued(2);
  const [cancelled, left] = [one?.id ?? '', other?.id ?? ''];
  expect(await cancel(cancelled)).toBe('cancelled');
  const back = await connect();
  expect(await back.receive('run')).toMatchObject({ execution_id: left });
  back.end(left, 0);
  await back.receive('ended_ack');
  expect(back.unread('run')).toBe(0);
  expect(await execution(cancelled)).toMatchObject({ status: 'cancelled' });
  expect(await execution(left)).toMatchObject({ status: 'succeeded', agent_name: 'default' });
});

/** Asynchronous executions that an earlier process of the hub has accepted, while no agent was there. */
async function queued(count: number): Promise<NewExecution[]> {
  await agent.vanish();
  const executions: NewExecution[] = [];
  await world.restart(async () => {
    const endpointOf = (json: string) => {
      const read = readDefinition(JSON.parse(json) as Record<string, unknown>);
      if (read.kind === 'problems') throw new Error(read.problems.join('; '));
      return read.endpoint;
    };
    await using store = await createStore(
      { kind: 'sqlite', file: join(world.dataDir, 'svc.db') },
      { ...STORE_OPTIONS, endpointOf },
    );
    const workspace = await store.accounts.workspaceByUsername(world.start.username);
    const target = workspace && (await store.endpoints.find(workspace.id, 'job'));
    for (let n = 0; n < count && workspace !== undefined && target !== undefined; n += 1) {
      const nobody = { agentName: undefined, agentInstance: undefined, agentBoot: undefined };
      const { definitionHash } = target;
      const of = { workspaceId: workspace.id, endpointId: target.id, slug: 'job', definitionHash };
      executions.push(
        newExecution({ ...of, ...nobody, state: 'queued', asynchronous: true, args: '{}', hubId: 'gone' }),
      );
    }
    for (const one of executions) await store.executions.accept(one);
  });
  return executions;
}
