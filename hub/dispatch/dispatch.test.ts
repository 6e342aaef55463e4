import { expect, test } from 'bun:test';
import { MovableClock } from '../../test/movable-clock.ts';
import type { AgentDirectory, AgentProcess } from '../agents/directory-ports.ts';
import { NO_WORKSPACE } from '../agents/host-address.ts';
import { RunningExecutions } from '../executions/live/running-executions.ts';
import { newExecution, quota } from '../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../platform/db/fixtures/stores.ts';
import { EventStream } from '../platform/event-stream.ts';
import { dispatch, reserveSlot } from './dispatch.ts';

const store = storeOfTests();

const AGENT: AgentProcess = {
  ...{ workspaceId: 'w1', name: 'default', instance: 'i1', boot: 'b1', isLocalOnly: false, running: 0 },
};
const HOST: AgentProcess = { ...AGENT, workspaceId: NO_WORKSPACE, name: 'hosted' };
const VALUES = { args: {}, secrets: {} };

/** A hub whose agent is connected, or has gone; `log` has what happened in which order. */
function hub({ isConnected = true } = {}) {
  const log: string[] = [];
  const agents = {
    reserveSlot() {
      log.push('reserve agent');
      return () => log.push('release agent');
    },
    run() {
      log.push('send');
      return isConnected;
    },
    acknowledgeEnd: () => undefined,
  } as Partial<AgentDirectory> as AgentDirectory;
  const clock = new MovableClock();
  const events = new EventStream((error) => log.push(String(error)));
  events.subscribe('execution_started', () => log.push('started'));
  const executions = new RunningExecutions(
    { ledger: store().executions, clock, agents, events, alertsOf: () => Promise.resolve([]) },
    { trouble: () => {} },
  );
  return { log, executions, deps: { agents, clock, executions } };
}

function execution(workspaceId = 'w1') {
  const { name, instance, boot } = AGENT;
  const agent = { agentName: name, agentInstance: instance, agentBoot: boot };
  return newExecution({ state: 'running', workspaceId, ...agent });
}

test('dispatch reserves before it stores, stores before it sends, and releases last', async () => {
  const { log, executions, deps } = hub();
  const stored = execution();
  const counts: number[] = [];
  const dispatched = dispatch(deps, { process: AGENT, endpointId: stored.endpointId }, async () => {
    counts.push(executions.countOf(stored.endpointId));
    await store().executions.accept(stored, quota());
    log.push('stored');
    return { kind: 'begun', execution: stored, values: VALUES, definition: undefined };
  });
  // Reserved at once: what is decided next sees the slot.
  expect([log, counts]).toEqual([['reserve agent'], [1]]);
  expect(await dispatched).toMatchObject({ kind: 'running', running: { execution: { id: stored.id } } });
  expect(log).toEqual(['reserve agent', 'stored', 'started', 'send', 'release agent']);
  expect(executions.countOf(stored.endpointId)).toBe(1);
});

test('an execution whose beginning is not stored is not sent, and its slot is released', async () => {
  const { log, executions, deps } = hub();
  const at = { process: AGENT, endpointId: 'e1' };
  expect(await dispatch(deps, at, () => Promise.resolve({ kind: 'not_queued' }))).toEqual({
    kind: 'not_queued',
  });
  const down = dispatch(deps, at, () => Promise.reject(new Error('the store is down')));
  expect(await down.catch(String)).toBe('Error: the store is down');
  expect(log).toEqual(['reserve agent', 'release agent', 'reserve agent', 'release agent']);
  expect([executions.countOf('e1'), executions.count]).toEqual([0, 0]);
});

test('an execution whose agent went offline meanwhile is rejected, and its quota is returned', async () => {
  const { deps } = hub({ isConnected: false });
  const stored = execution('w2');
  const claim = quota(10, 'w2');
  const outcome = await dispatch(deps, { process: AGENT, endpointId: stored.endpointId }, async () => {
    await store().executions.accept(stored, claim);
    return { kind: 'begun', execution: stored, values: VALUES, definition: undefined };
  });
  if (outcome.kind === 'running') await outcome.running.live.ended;
  expect(await store().executions.find(stored.id)).toMatchObject({
    ...{ state: 'rejected', reason: 'agent_offline', errorCode: 'agent_offline' },
    error: 'the agent went offline before it received the execution',
  });
  expect(await store().executions.quotaUsed('w2', claim.period)).toBe(0);
});

test('the slot at a host is reserved by the queue, which has chosen it', () => {
  const { log, executions, deps } = hub();
  const slot = reserveSlot(deps, { process: HOST, endpointId: 'e1' });
  expect([log, executions.countOf('e1')]).toEqual([[], 1]);
  slot.release();
  expect(executions.countOf('e1')).toBe(0);
});
