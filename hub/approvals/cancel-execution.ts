import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval, ApprovalCloser, ApprovalClosing } from '@svc/core/approval/approval';
import { cancelledBeforeStart } from '@svc/core/execution/outcome';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import { quotaOf, type RunningExecutions } from '../executions/live/running-executions.ts';
import type { Clock, Random } from '../platform/world.ts';
import { closedEvent, endedEvents } from './approval-events.ts';
import type { ApprovalDeps, RetainedEnd } from './approval-ports.ts';
import { pendingCallOf } from './pending-call.ts';
import type { PreconditionDeps } from './preconditions.ts';

type CancelDeps = { readonly ledger: ExecutionLedger; readonly clock: Clock } & CancelPendingDeps & {
    readonly executions: RunningExecutions;
  };

type Cancelled = Pick<Execution, 'id' | 'state' | 'workspaceId' | 'createdAtMs'> &
  Partial<Pick<Execution, 'queuedAtMs'>>;

const ITS_CALLER: ApprovalCloser = { kind: 'caller', id: undefined, name: 'its caller' };

/**
 * Ends an execution that has not started. For one that may have started, the cancel request is stored, so that an offline agent
 * receives it when it reconnects; the agent reports the end (decision 18, time-out and cancel).
 */
export async function cancelExecution(
  deps: CancelDeps,
  execution: Cancelled,
  by = ITS_CALLER,
): Promise<void> {
  const { ledger, clock, executions } = deps;
  const { id } = execution;
  const nowMs = clock.nowMs();
  if (execution.state === 'pending_approval') return await cancelPending(deps, id, by);
  if (execution.state === 'queued') {
    const finish = { ...cancelledBeforeStart(), executionId: id, endedAtMs: nowMs };
    const known = await ledger.find(id);
    const alerts = known === undefined ? [] : await executions.alertsOf(known, finish);
    if (await ledger.finishQueued({ ...finish, alerts }, quotaOf(execution))) return;
    // It was dispatched in the meantime.
  }
  if (await ledger.requestCancel(id, nowMs)) executions.cancel(id);
}

async function cancelPending(deps: CancelDeps, id: string, by: ApprovalCloser): Promise<void> {
  const approval = await deps.approvals.ofExecution(id);
  if (approval !== undefined && (await cancelPendingCall(deps, approval, by))) return;
  // It was decided in the meantime.
  const now = await deps.ledger.find(id);
  if (now !== undefined && now.state !== 'pending_approval') await cancelExecution(deps, now, by);
}

export type CancelPendingDeps = {
  readonly clock: Clock;
  readonly ledger: ExecutionLedger;
  readonly random: Random;
} & PreconditionDeps &
  ApprovalDeps;

/**
 * Cancels a pending call: the approval closes, and callers that wait for the decision get it. False when the approval was decided
 * before.
 */
export async function cancelPendingCall(
  deps: CancelPendingDeps,
  approval: Approval,
  by: ApprovalCloser,
): Promise<boolean> {
  const { approvals, clock } = deps;
  const closing = {
    state: 'expired',
    reason: 'cancelled',
    atMs: clock.nowMs(),
    by,
    comment: undefined,
  } as const;
  const end = {
    state: 'cancelled',
    reason: undefined,
    error: 'it was cancelled before anybody approved it',
    errorCode: 'cancelled',
  } as const;
  const alerts = await alertsOf(deps, approval, closing, end);
  const outcome = await approvals.close(approval, closing, end, { entry: undefined, alerts });
  return outcome === 'stored';
}

async function alertsOf(
  deps: CancelPendingDeps,
  approval: Approval,
  closing: ApprovalClosing,
  end: RetainedEnd,
): Promise<AlertEvent[]> {
  const pending = await pendingCallOf(deps, approval);
  if (pending === undefined) return [];
  const endpoint = await deps.endpoints.byId(pending.execution.endpointId);
  return [
    closedEvent(deps, { ...pending, callbackUrl: endpoint?.endpoint.callbackUrl }, closing),
    ...(await endedEvents(deps, pending.execution, end, closing.atMs)),
  ];
}
