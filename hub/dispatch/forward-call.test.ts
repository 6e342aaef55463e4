import { expect, test } from 'bun:test';
import { type BusFrameOf, encodeBusFrame } from '@svc/core/bus/frame';
import { LIMITS } from '@svc/core/plan/limits';
import { refuse } from '@svc/core/refusal';
import { MovableClock } from '../../test/movable-clock.ts';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import { RunningExecutions } from '../executions/live/running-executions.ts';
import { FeedSource } from '../executions/remote/feed-source.ts';
import type { ForwardOutcome } from '../executions/remote/remote-hubs.ts';
import { LocalBroker } from '../platform/bus/fixtures/local-bus.ts';
import { failureOf } from '../platform/db/fixtures/failure-of.ts';
import { endpointOf, STORE_OPTIONS } from '../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../platform/db/fixtures/stores.ts';
import { EventStream } from '../platform/event-stream.ts';
import { secretsForHost } from '../secret-grants/order-secrets.ts';
import { type AcceptForwardedDeps, acceptForwarded } from './accept-forwarded.ts';
import type { CheckedCall } from './checked-call.ts';
import { type ForwardDeps, forwardCall } from './forward-call.ts';

const store = storeOfTests();

const WORKSPACE = { id: 'w1', username: 'ada', ownerId: 'u1', plan: 'free' } as const;
const TARGET: RegisteredEndpoint = {
  ...{ id: 'e1', workspaceId: 'w1', source: 'config', registeredBy: 'default', version: 1 },
  ...{ definition: '', definitionHash: 'h1', overrides: {}, createdAtMs: 0, updatedAtMs: 0 },
  endpoint: { ...endpointOf('{"name":"job"}'), program: { mode: 'argv', words: [], secrets: [] } },
};
const CALL: CheckedCall = {
  ...{ workspace: WORKSPACE, target: TARGET, method: 'GET', values: new Map(), trigger: 'call' },
  ...{ callerKind: 'api_key', callerId: 'k1', from: undefined, asynchronous: true },
  ...{ readTokenHash: undefined, idempotencyKey: undefined, idempotency: undefined },
  secrets: secretsForHost({}),
};
const AGENT: AgentProcess = {
  ...{ workspaceId: 'w1', name: 'default', instance: 'i1', boot: 'b1', isLocalOnly: false, running: 0 },
};
const clock = new MovableClock();
const random = { uuid: () => Bun.randomUUIDv7(), bytes: (count: number) => new Uint8Array(count) };
const { vault } = STORE_OPTIONS;
const reportBug = (error: unknown) => {
  throw error;
};

/** The hub that has the agent, and the executions that its agent received. */
function agentsHub() {
  const received: string[] = [];
  const agents = {
    choose: () => AGENT,
    reserveSlot: () => () => {},
    run: (_to, order) => received.push(order.execution_id) > 0,
  } as Partial<AgentDirectory> as AgentDirectory;
  const events = new EventStream(reportBug);
  const executions = new RunningExecutions(
    { ledger: store().executions, clock, agents, alertsOf: () => Promise.resolve([]), events },
    { trouble: (_id, error) => reportBug(error) },
  );
  const deps: AcceptForwardedDeps = {
    ...{
      ledger: store().executions,
      secrets: store().secrets,
      hubId: 'agents',
      clock,
      random,
      vault,
      reportBug,
    },
    ...{ agents, executions, feeds: new FeedSource(new LocalBroker().bus(), clock, reportBug) },
    lookups: { workspace: () => WORKSPACE, endpoint: () => TARGET },
  };
  return { received, take: (frame: BusFrameOf<'call'>) => acceptForwarded(deps, frame, 'callers') };
}

/** Forwards the call; `bus` decides what becomes of the frame. */
function forward(
  bus: (frame: BusFrameOf<'call'>) => Promise<ForwardOutcome>,
  ledger: ForwardDeps['ledger'] = store().executions,
  values = CALL.values,
) {
  const remoteHubs: ForwardDeps['remoteHubs'] = { call: (_hubId, frame) => bus(frame) };
  const deps = { remoteHubs, ledger, hubId: 'callers', clock, random, vault, reportBug };
  return forwardCall(deps, { ...CALL, values }, 'agents');
}

const UNANSWERED = { as: 'unanswered' } as const;

test('a forwarded call whose answer is lost is followed as running', async () => {
  const hub = agentsHub();
  const called = await forward(async (frame) => {
    expect(await hub.take(frame)).toEqual({ as: 'running' });
    return UNANSWERED;
  });
  const [id] = hub.received;
  expect(called).toMatchObject({ kind: 'remote', execution: { id, state: 'running', hubId: 'agents' } });
});

test('a forwarded call that arrives after its caller was refused is not dispatched', async () => {
  const hub = agentsHub();
  let late: BusFrameOf<'call'> | undefined;
  const refused = failureOf(
    forward((frame) => {
      late = frame;
      return Promise.resolve(UNANSWERED);
    }),
  );
  expect(await refused).toMatchObject({
    code: 'agent_offline',
    details: { execution_id: late?.executionId },
  });
  expect(late && (await hub.take(late))).toBeUndefined();
  expect(hub.received).toEqual([]);
  const found = await store().executions.find(late?.executionId ?? '');
  expect(found).toMatchObject({ state: 'rejected', reason: 'agent_offline', hubId: 'callers' });
});

test('a forwarded call that arrives late is not dispatched when the store was down before', async () => {
  const hub = agentsHub();
  let isDown = true;
  const unlessDown = <Result>(work: () => Promise<Result>) =>
    isDown ? Promise.reject(refuse('unavailable', 'the store is down')) : work();
  const ledger: ForwardDeps['ledger'] = {
    accept: (...one) => unlessDown(() => store().executions.accept(...one)),
    find: (id) => unlessDown(() => store().executions.find(id)),
  };
  let late: BusFrameOf<'call'> | undefined;
  const refused = failureOf(
    forward((frame) => {
      late = frame;
      return Promise.resolve(UNANSWERED);
    }, ledger),
  );
  // The caller can look the execution up by this id.
  expect(await refused).toMatchObject({ code: 'unavailable', details: { execution_id: late?.executionId } });
  isDown = false;
  clock.move(1_000);
  while ((await store().executions.find(late?.executionId ?? '')) === undefined)
    await new Promise((resolve) => setImmediate(resolve));
  expect(late && (await hub.take(late))).toBeUndefined();
  expect(hub.received).toEqual([]);
});

test('a forwarded call that arrives 20 times at the same moment is dispatched once', async () => {
  const hub = agentsHub();
  await forward(async (frame) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => hub.take(frame)));
    expect(answers.filter((answer) => answer !== undefined)).toEqual([{ as: 'running' }]);
    return UNANSWERED;
  });
  expect(hub.received).toHaveLength(1);
});

test('a call that does not fit into a frame is not forwarded, whatever characters its values have', async () => {
  const half = (text: string) => text.repeat(LIMITS.valueBytes / Buffer.byteLength(text));
  const sent = async (...texts: string[]) => {
    let hasFit: boolean | undefined;
    const values = new Map(texts.map((text, at) => [`v${at}`, text]));
    await forward(
      (frame) => {
        hasFit = encodeBusFrame('callers', frame) !== undefined;
        return Promise.resolve({ as: 'left' });
      },
      store().executions,
      values,
    );
    return hasFit;
  };
  expect(await sent(half('x'))).toBe(true);
  expect(await sent(half('\u0001'))).toBeUndefined();
  // Characters of three bytes, and characters that JSON escapes with six.
  for (const share of [4_000, 10_000, 14_000])
    expect([true, undefined]).toContain(
      await sent('\u0001'.repeat(share), '漢'.repeat((128 * 1024 - share) / 3)),
    );
});
