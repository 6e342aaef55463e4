import { expect, test } from 'bun:test';
import { type BusFrameOf, encodeBusFrame } from '@svc/core/bus/frame';
import { LIMITS } from '@svc/core/plan/limits';
import { refuse } from '@svc/core/refusal';
import { MovableClock } from '../../test/movable-clock.ts';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import { RunningExecutions } from '../executions/live/running-executions.ts';
import { FeedSource } from '../executions/remote/feed-source.ts';
import type { CallOutcome } from '../executions/remote/remote-hubs.ts';
import { LocalBroker } from '../platform/bus/fixtures/local-bus.ts';
import { failureOf } from '../platform/db/fixtures/failure-of.ts';
import { endpointOf, STORE_OPTIONS } from '../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../platform/db/fixtures/stores.ts';
import { EventStream } from '../platform/event-stream.ts';
import { overriding } from '../platform/overriding.ts';
import { type AcceptForwardedPorts, acceptForwarded } from './accept-forwarded.ts';
import { type ForwardPorts, forwardCall } from './forward-call.ts';

const store = storeOfTests();

const WORKSPACE = { id: 'w1', username: 'ada', ownerId: 'u1', plan: 'free' } as const;
const TARGET: RegisteredEndpoint = {
  ...{ id: 'e1', workspaceId: 'w1', source: 'config', registeredBy: 'default', version: 1 },
  ...{ definition: '', definitionHash: 'h1', overrides: {}, createdAtMs: 0, updatedAtMs: 0 },
  endpoint: { ...endpointOf('{"name":"job"}'), program: { mode: 'argv', words: [], secrets: [] } },
};
const CALL: EndpointCall = {
  ...{ workspace: WORKSPACE, target: TARGET, method: 'GET', values: new Map(), trigger: 'call' },
  ...{ callerKind: 'api_key', callerId: 'k1', from: undefined, asynchronous: true },
  ...{ readTokenHash: undefined, idempotencyKey: undefined },
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

/** The hub that has the agent, as far as it takes calls; what its agent was told to run. */
function agentsHub() {
  const told: string[] = [];
  const agents = {
    choose: () => AGENT,
    hold: () => () => {},
    run: (_to, { executionId }) => told.push(executionId) > 0,
  } as Partial<AgentDirectory> as AgentDirectory;
  const events = new EventStream(reportBug);
  const executions = new RunningExecutions(
    { ledger: store().executions, clock, agents, alertsOf: () => Promise.resolve([]), events },
    { trouble: (_id, error) => reportBug(error) },
  );
  const ports: AcceptForwardedPorts = {
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
  return { told, take: (frame: BusFrameOf<'call'>) => acceptForwarded(ports, frame, 'callers') };
}

/** Gives the call to it; `bus` is what becomes of the frame on its way. */
function give(
  bus: (frame: BusFrameOf<'call'>) => Promise<CallOutcome>,
  ledger = store().executions,
  values = CALL.values,
) {
  const elsewhere: ForwardPorts['elsewhere'] = { call: (_hubId, frame) => bus(frame) };
  const ports = { elsewhere, ledger, hubId: 'callers', clock, random, vault, reportBug };
  return forwardCall(ports, { call: { ...CALL, values }, idempotency: undefined }, 'agents');
}

const UNANSWERED = { as: 'unanswered' } as const;

test('a call whose answer is lost is followed as what it is: begun', async () => {
  const hub = agentsHub();
  const called = await give(async (frame) => {
    expect(await hub.take(frame)).toEqual({ as: 'running' });
    return UNANSWERED;
  });
  const [id] = hub.told;
  expect(called).toMatchObject({ kind: 'elsewhere', execution: { id, state: 'running', hubId: 'agents' } });
});

test('a call that comes late, when its caller has been refused, is not begun', async () => {
  const hub = agentsHub();
  let late: BusFrameOf<'call'> | undefined;
  const refused = failureOf(
    give((frame) => {
      late = frame;
      return Promise.resolve(UNANSWERED);
    }),
  );
  expect(await refused).toMatchObject({
    code: 'agent_offline',
    details: { execution_id: late?.executionId },
  });
  expect(late && (await hub.take(late))).toBeUndefined();
  expect(hub.told).toEqual([]);
  const found = await store().executions.find(late?.executionId ?? '');
  expect(found).toMatchObject({ state: 'rejected', reason: 'agent_offline', hubId: 'callers' });
});

test('a call that comes late is not begun either when the store could not be asked before', async () => {
  const hub = agentsHub();
  let isDown = true;
  const unlessDown = <Result>(work: () => Promise<Result>) =>
    isDown ? Promise.reject(refuse('unavailable', 'the store is down')) : work();
  const ledger = overriding(store().executions, {
    accept: (...one) => unlessDown(() => store().executions.accept(...one)),
    find: (id) => unlessDown(() => store().executions.find(id)),
  });
  let late: BusFrameOf<'call'> | undefined;
  const refused = failureOf(
    give((frame) => {
      late = frame;
      return Promise.resolve(UNANSWERED);
    }, ledger),
  );
  // Nobody knows whether it runs, and under this id it can be looked up.
  expect(await refused).toMatchObject({ code: 'unavailable', details: { execution_id: late?.executionId } });
  isDown = false;
  clock.move(1_000);
  while ((await store().executions.find(late?.executionId ?? '')) === undefined)
    await new Promise((resolve) => setImmediate(resolve));
  expect(late && (await hub.take(late))).toBeUndefined();
  expect(hub.told).toEqual([]);
});

test('a call that comes twice at the same moment is begun once', async () => {
  const hub = agentsHub();
  await give(async (frame) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => hub.take(frame)));
    expect(answers.filter((answer) => answer !== undefined)).toEqual([{ as: 'running' }]);
    return UNANSWERED;
  });
  expect(hub.told).toHaveLength(1);
});

test('what would not fit into a frame is not handed over, however its values are spelled', async () => {
  const half = (text: string) => text.repeat(LIMITS.valueBytes / Buffer.byteLength(text));
  const sent = async (...texts: string[]) => {
    let hasFit: boolean | undefined;
    const values = new Map(texts.map((text, at) => [`v${at}`, text]));
    await give(
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
  // Characters that take three bytes, and such as JSON makes six of.
  for (const share of [4_000, 10_000, 14_000])
    expect([true, undefined]).toContain(
      await sent('\u0001'.repeat(share), '漢'.repeat((128 * 1024 - share) / 3)),
    );
});
