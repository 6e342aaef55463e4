import { describe, expect, test } from 'bun:test';
import type { Approval, ApprovalClosing } from '@svc/core/approval/approval';
import { cancelledBeforeStart } from '@svc/core/execution/outcome';
import type { Store } from '../../build/create-store.ts';
import {
  announced,
  auditEntry,
  NOW_MS,
  newExecution,
  newId,
  newWorkspace,
  quota,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { RetainedEnd } from '../approval-ports.ts';

const EXPIRES_MS = NOW_MS + 60_000;
const DENIED: RetainedEnd = { state: 'denied', reason: undefined, error: 'no', errorCode: 'approval_denied' };

/** A call of an endpoint that waits, in a workspace of its own. */
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
    state: 'pending_approval',
    asynchronous: true,
    sealedArgs: 'sealed',
    agentName: undefined,
    agentInstance: undefined,
    agentBoot: undefined,
  });
  const approval: Approval = {
    id: newId(),
    workspaceId,
    executionId: execution.id,
    slug: 'deploy',
    agentName: 'default',
    requestedBy: 'ada@example.org',
    requesterId: userId,
    generation: 0,
    createdAtMs: NOW_MS,
    expiresAtMs: EXPIRES_MS,
    closing: undefined,
  };
  expect(await store.approvals.addPending({ execution, approval, alerts: [] })).toEqual({ kind: 'stored' });
  const on = {
    endpointId: endpoint.id,
    endpointVersion: endpoint.version,
    apiKeyId: undefined,
    memberId: userId,
  };
  const claim = quota(undefined, workspaceId);
  const queued: RetainedEnd = { state: 'queued', hubId: 'hub2', quota: claim, on };
  return { approval, execution, workspaceId, userId, queued, on, endpoint };
}

function closing(more: Partial<ApprovalClosing> = {}): ApprovalClosing {
  const by = { kind: 'member', id: 'u1', name: 'lin@example.org' } as const;
  return { state: 'approved', reason: undefined, atMs: NOW_MS + 5, by, comment: 'fine', ...more };
}

async function audited(store: Store, workspaceId: string): Promise<string[]> {
  const records = await store.audit.recordsAfter(workspaceId, 0, 100);
  return records.map(({ entry }) => entry.action);
}

onBothDatabases(({ shared, open }) => {
  test('the bodies of unfinished calls of a workspace are counted, and stay on record', async () => {
    const store = await shared();
    const { approval, queued, workspaceId } = await pendingCall(store);
    const files = [{ argument: 'stdin', bytes: 7, type: 'text/plain', sha256: 'a'.repeat(64) }];
    const execution = newExecution({ workspaceId, state: 'pending_approval', files });
    const another = { ...approval, id: newId(), executionId: execution.id };
    await store.approvals.addPending({ execution, approval: another, alerts: [] });
    const along = { entry: undefined, alerts: [] };
    expect(await store.approvals.keptBytes(workspaceId)).toBe(7);
    expect(await store.approvals.close(another, closing(), queued, along)).toBe('stored');
    expect(await store.approvals.keptBytes(workspaceId)).toBe(7);
    const end = { executionId: execution.id, state: 'cancelled', endedAtMs: NOW_MS + 9 } as const;
    await store.executions.finishQueued({ ...cancelledBeforeStart(), ...end });
    expect(await store.approvals.keptBytes(workspaceId)).toBe(0);
    expect((await store.executions.find(execution.id))?.files).toEqual(files);
  });

  test('a pending call is found by its id and by its execution, unchanged', async () => {
    const store = await shared();
    const { approval, execution } = await pendingCall(store);
    expect(await store.approvals.find(approval.id)).toEqual(approval);
    expect(await store.approvals.ofExecution(execution.id)).toEqual(approval);
    expect(await store.executions.find(execution.id)).toMatchObject({ state: 'pending_approval' });
  });

  test('an accepted call is not stored twice, and its key returns it', async () => {
    const store = await shared();
    const { approval, execution } = await pendingCall(store);
    const again = { ...approval, id: newId() };
    const known = { kind: 'stored', wasThere: true } as const;
    expect(await store.approvals.addPending({ execution, approval: again, alerts: [] })).toEqual(known);
    expect(await store.approvals.find(again.id)).toBeUndefined();
  });

  test('an approval queues its execution for the hub that decided, takes its quota, and is in the audit log', async () => {
    const store = await shared();
    const { approval, execution, workspaceId, queued } = await pendingCall(store);
    const entry = auditEntry(workspaceId, { action: 'approval.approved' });
    expect(await store.approvals.close(approval, closing(), queued, { entry, alerts: [] })).toBe('stored');
    expect((await store.approvals.find(approval.id))?.closing).toEqual(closing());
    expect(await store.executions.find(execution.id)).toMatchObject({
      state: 'queued',
      hubId: 'hub2',
      queuedAtMs: NOW_MS + 5,
      sealedArgs: 'sealed',
    });
    expect(await store.executions.quotaUsed(workspaceId, '2026-11')).toBe(1);
    expect(await audited(store, workspaceId)).toContain('approval.approved');
  });

  test('a denied or expired call ends its execution, and deletes its secret arguments', async () => {
    const store = await shared();
    const { approval, execution, workspaceId } = await pendingCall(store);
    const entry = auditEntry(workspaceId, { action: 'approval.denied' });
    expect(
      await store.approvals.close(approval, closing({ state: 'denied' }), DENIED, { entry, alerts: [] }),
    ).toBe('stored');
    expect(await store.executions.find(execution.id)).toMatchObject({
      state: 'denied',
      error: 'no',
      errorCode: 'approval_denied',
      endedAtMs: NOW_MS + 5,
      sealedArgs: undefined,
    });
    expect(await store.executions.quotaUsed(workspaceId, '2026-11')).toBe(0);
  });

  test('of decisions at the same moment one is stored, with its entry, and the others leave nothing', async () => {
    const store = await open();
    const { approval, execution, workspaceId, queued } = await pendingCall(store);
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, n) => {
        const [state, end, action] =
          n % 2 === 0
            ? (['approved', queued, 'approval.approved'] as const)
            : (['denied', DENIED, 'approval.denied'] as const);
        const by = { kind: 'member', id: `u${n}`, name: `u${n}` } as const;
        return store.approvals.close(approval, closing({ state, by }), end, {
          entry: auditEntry(workspaceId, { action }),
          alerts: [],
        });
      }),
    );
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'closed')).toHaveLength(39);
    const winner = outcomes.indexOf('stored');
    expect((await store.approvals.find(approval.id))?.closing?.by.id).toBe(`u${winner}`);
    const isApproved = winner % 2 === 0;
    expect((await store.executions.find(execution.id))?.state).toBe(isApproved ? 'queued' : 'denied');
    expect(await store.executions.quotaUsed(workspaceId, '2026-11')).toBe(isApproved ? 1 : 0);
    const decisions = (await audited(store, workspaceId)).filter((action) => action.startsWith('approval.'));
    expect(decisions).toEqual([isApproved ? 'approval.approved' : 'approval.denied']);
    await store[Symbol.asyncDispose]();
  }, 60_000);

  describe('an approval is not stored, nor anything with it, when meanwhile', () => {
    async function refused(
      change: (call: Awaited<ReturnType<typeof pendingCall>>, store: Store) => Promise<RetainedEnd>,
      used = 0,
    ) {
      const store = await shared();
      const call = await pendingCall(store);
      const end = await change(call, store);
      const entry = auditEntry(call.workspaceId, { action: 'approval.approved' });
      const outcome = await store.approvals.close(call.approval, closing(), end, { entry, alerts: [] });
      expect((await store.approvals.find(call.approval.id))?.closing).toBeUndefined();
      expect((await store.executions.find(call.execution.id))?.state).toBe('pending_approval');
      expect(await store.executions.quotaUsed(call.workspaceId, '2026-11')).toBe(used);
      expect(await audited(store, call.workspaceId)).not.toContain('approval.approved');
      return outcome;
    }

    test('the endpoint was changed', async () => {
      const outcome = await refused(async ({ workspaceId, queued }, { endpoints }) => {
        await endpoints.register(
          workspaceId,
          'default',
          { endpoints: [announced('deploy', 'reboot')] },
          NOW_MS,
        );
        return queued;
      });
      expect(outcome).toBe('moved');
    });

    test('the endpoint was deleted', async () => {
      const outcome = await refused(async ({ workspaceId, queued }, { endpoints }) => {
        await endpoints.register(workspaceId, 'default', { endpoints: [] }, NOW_MS);
        return queued;
      });
      expect(outcome).toBe('moved');
    });

    test('the member was removed', async () => {
      const outcome = await refused(async ({ queued, on }) => {
        return { ...queued, on: { ...on, memberId: newId() } } as RetainedEnd;
      });
      expect(outcome).toBe('moved');
    });

    test('the approver has another role by now', async () => {
      const store = await shared();
      const call = await pendingCall(store);
      const close = (decidedBy: { userId: string; role: 'owner' | 'member' }) =>
        store.approvals.close(call.approval, closing(), call.queued, {
          entry: auditEntry(call.workspaceId, { action: 'approval.approved' }),
          alerts: [],
          decidedBy,
        });
      expect(await close({ userId: newId(), role: 'owner' })).toBe('moved');
      expect(await close({ userId: call.userId, role: 'member' })).toBe('moved');
      expect((await store.executions.find(call.execution.id))?.state).toBe('pending_approval');
      expect(await close({ userId: call.userId, role: 'owner' })).toBe('stored');
    });

    test('the key was revoked', async () => {
      const outcome = await refused(async ({ queued, on, workspaceId, userId }, { credentials }) => {
        const key = { id: newId(), workspaceId, createdBy: userId, name: 'k', hash: newId(), last4: 'abcd' };
        const none = { endpoints: undefined, expiresAtMs: undefined, revokedAtMs: undefined };
        const unused = { previousLast4: undefined, previousUntilMs: undefined, usedAtMs: undefined };
        await credentials.addApiKey(
          { ...key, ...none, ...unused, createdAtMs: NOW_MS },
          auditEntry(workspaceId),
        );
        await credentials.revokeApiKey(workspaceId, key.id, auditEntry(workspaceId));
        return { ...queued, on: { ...on, apiKeyId: key.id } } as RetainedEnd;
      });
      expect(outcome).toBe('moved');
    });

    test('the executions of the month are used up', async () => {
      const outcome = await refused(async ({ queued, workspaceId }, { executions }) => {
        await executions.accept(newExecution({ workspaceId }), quota(undefined, workspaceId));
        return { ...queued, quota: quota(1, workspaceId) } as RetainedEnd;
      }, 1);
      expect(outcome).toBe('quota_exceeded');
    });

    test('and the plan has no executions', async () => {
      const none = async ({ queued, workspaceId }: Awaited<ReturnType<typeof pendingCall>>) =>
        ({ ...queued, quota: quota(0, workspaceId) }) as RetainedEnd;
      expect(await refused(none)).toBe('quota_exceeded');
    });
  });

  test('expired approvals are found, the oldest first, and no others', async () => {
    const store = await open();
    const late = await pendingCall(store);
    const { approval: early } = await pendingCall(store);
    const dueAt = async (nowMs: number) => (await store.approvals.due(nowMs, 10)).map(({ id }) => id);
    expect(await store.approvals.pendingOf(early, 5)).toBe(1);
    expect(await store.approvals.pendingOf(early, 0)).toBe(0);
    expect(await dueAt(EXPIRES_MS - 1)).toEqual([]);
    expect((await dueAt(EXPIRES_MS)).sort()).toEqual([late.approval.id, early.id].sort());
    expect(await store.approvals.due(EXPIRES_MS, 1)).toHaveLength(1);
    const expired = closing({ state: 'expired', reason: 'timed_out' });
    await store.approvals.close(
      early,
      expired,
      { ...DENIED, state: 'expired' },
      { entry: undefined, alerts: [] },
    );
    expect(await dueAt(EXPIRES_MS)).toEqual([late.approval.id]);
    expect(await store.approvals.pendingOf(early, 5)).toBe(0);
    await store[Symbol.asyncDispose]();
  }, 60_000);

  test('lists are of one workspace, the newest first, by state and endpoint, page by page', async () => {
    const store = await shared();
    const { workspaceId, approval: first, endpoint } = await pendingCall(store);
    const approvals = [first];
    for (let n = 1; n < 5; n += 1) {
      const execution = newExecution({ workspaceId, endpointId: endpoint.id, state: 'pending_approval' });
      const approval = {
        ...first,
        id: newId(),
        executionId: execution.id,
        slug: n === 4 ? 'other' : 'deploy',
      };
      await store.approvals.addPending({ execution, approval, alerts: [] });
      approvals.push(approval);
    }
    await store.approvals.close(approvals[1] ?? first, closing({ state: 'denied' }), DENIED, {
      entry: undefined,
      alerts: [],
    });
    const ids = approvals.map(({ id }) => id).reverse();
    const page = await store.approvals.list({ workspaceId, limit: 2 });
    expect(page.items.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const next = await store.approvals.list({ workspaceId, limit: 5, cursor: page.nextCursor ?? '' });
    expect([next.items.map(({ id }) => id), next.nextCursor]).toEqual([ids.slice(2), undefined]);
    const pending = await store.approvals.list({
      workspaceId,
      limit: 9,
      states: ['pending'],
      slug: 'deploy',
    });
    expect(pending.items.map(({ id }) => id)).toEqual([ids[1], ids[2], ids[4]] as string[]);
  });
});
