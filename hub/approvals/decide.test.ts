// Cases that no test of a whole hub can cause: a store whose answer is lost, and changes during a decision.
import { expect, test } from 'bun:test';
import { MovableClock } from '../../test/movable-clock.ts';
import type { Store } from '../build/create-store.ts';
import type { Execution } from '../executions/execution-ports.ts';
import { announced, NOW_MS, newExecution, newId, newWorkspace } from '../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../platform/db/fixtures/stores.ts';
import { unavailable } from '../platform/db/unavailable.ts';
import type { Approvals } from './approval-ports.ts';
import { type DecideDeps, decide } from './decide.ts';
import { FailedAttempts } from './failed-attempts.ts';

async function pendingCall(store: Store) {
  const { workspaceId, userId } = await newWorkspace(store);
  const { registered } = await store.endpoints.register(
    workspaceId,
    'default',
    { endpoints: [announced('deploy')] },
    NOW_MS,
  );
  const endpoint = registered[0] ?? expect.unreachable();
  const execution = newExecution({
    workspaceId,
    endpointId: endpoint.id,
    endpointVersion: endpoint.version,
    definitionHash: endpoint.definitionHash,
    state: 'pending_approval',
    callerKind: 'member',
    callerId: userId,
  });
  const approval = {
    id: newId(),
    workspaceId,
    executionId: execution.id,
    slug: 'deploy',
    agentName: 'default',
    requestedBy: 'ada@example.org',
    requesterId: userId,
    generation: 0,
    createdAtMs: NOW_MS,
    expiresAtMs: NOW_MS + 60_000,
    closing: undefined,
  };
  await store.approvals.addPending({ execution, approval, alerts: [] });
  return { approval, execution, workspaceId, userId };
}

/** A hub whose store is real, and the execution that its queue receives. */
function portsOn(store: Store, approvals: Approvals) {
  const clock = new MovableClock();
  const queued = Promise.withResolvers<Execution>();
  const deps = {
    ...store,
    ledger: store.executions,
    approvals,
    clock,
    hubId: 'hub2',
    random: { uuid: () => newId(), bytes: (count: number) => new Uint8Array(count) },
    failedAttempts: new FailedAttempts(),
    queue: { add: async (execution: Execution) => queued.resolve(execution) },
    reportBug: queued.reject,
  };
  return { deps: deps as unknown as DecideDeps, queued: queued.promise };
}

/** The same store, whose first `close` is replaced. */
function meddling(approvals: Approvals, close: Approvals['close']): Approvals {
  let calls = 0;
  return new Proxy(approvals, {
    get(target, name) {
      const value = Reflect.get(target, name) as (...args: unknown[]) => unknown;
      if (name !== 'close') return value.bind(target);
      calls += 1;
      return calls === 1 ? close : value.bind(target);
    },
  });
}

/** Ports, and the approver that each attempt to close an approval names. */
function decidersOn(store: Store) {
  const deciders: unknown[] = [];
  const noting = meddling(store.approvals, async (...close) => {
    deciders.push(close[3].decidedBy);
    return await store.approvals.close(...close);
  });
  return { asked: deciders, deps: portsOn(store, noting).deps };
}

const LINK = {
  approver: { kind: 'link' },
  source: {
    actor: { kind: 'link', id: undefined, name: 'somebody' },
    from: { address: undefined, userAgent: undefined },
  },
  comment: undefined,
} as const;

onBothDatabases(({ shared }) => {
  test('an approval is dispatched when the answer of the store was lost and its record is found', async () => {
    const store = await shared();
    const { approval, execution } = await pendingCall(store);
    const losing = meddling(store.approvals, async (...close) => {
      await store.approvals.close(...close);
      throw unavailable('write', 'the connection broke', true);
    });
    const { deps, queued } = portsOn(store, losing);
    const wanted = { approvalId: approval.id, decision: 'approve', ...LINK } as const;
    const failure = await decide(deps, wanted).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unavailable' });
    expect(await queued).toMatchObject({ id: execution.id, state: 'queued', hubId: 'hub2' });
    const again = await decide(deps, wanted).catch((error: unknown) => error);
    expect(again).toMatchObject({ code: 'approval_closed', details: { decided_by: 'somebody' } });
  });

  test('an endpoint that changes during the decision makes the approval stale', async () => {
    const store = await shared();
    const { approval, execution, workspaceId } = await pendingCall(store);
    const overtaken = meddling(store.approvals, async (...close) => {
      await store.endpoints.register(
        workspaceId,
        'default',
        { endpoints: [announced('deploy', 'reboot')] },
        NOW_MS,
      );
      return await store.approvals.close(...close);
    });
    const { deps } = portsOn(store, overtaken);
    const wanted = { approvalId: approval.id, decision: 'approve', ...LINK } as const;
    const failure = await decide(deps, wanted).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'stale', details: { reason: 'definition_changed' } });
    expect(await store.executions.find(execution.id)).toMatchObject({ state: 'rejected', reason: 'stale' });
  });

  test('a member decides in the role of the moment of storing, and a removed member does not decide', async () => {
    const store = await shared();
    const { approval, execution, userId } = await pendingCall(store);
    const approver = {
      kind: 'member',
      email: 'ada@example.org',
      role: 'member',
      credential: 'token',
    } as const;
    const wanted = { ...LINK, approvalId: approval.id, decision: 'approve' } as const;
    const stranger = decide(portsOn(store, store.approvals).deps, {
      ...wanted,
      approver: { ...approver, id: newId() },
    });
    expect(await stranger.catch((error: unknown) => error)).toMatchObject({ code: 'not_found' });
    const { asked: deciders, deps } = decidersOn(store);
    await decide(deps, { ...wanted, approver: { ...approver, id: userId } });
    // The role at the time of the request does not count.
    expect(deciders).toEqual([{ userId, role: 'owner' }]);
    expect(await store.executions.find(execution.id)).toMatchObject({ state: 'queued' });
  });
});
