import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval, ApprovalCloser, ApprovalClosing } from '@svc/core/approval/approval';
import { cancelledBeforeStart } from '@svc/core/execution/outcome';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import { quotaOf, type RunningExecutions } from '../executions/live/running-executions.ts';
import type { StateChanges } from '../executions/live/state-changes.ts';
import type { Clock, Random } from '../platform/world.ts';
import { closedEvent } from './approval-events.ts';
import type { ApprovalPorts } from './approval-ports.ts';
import { pendingCallOf } from './pending-call.ts';

type CancelPorts = { readonly ledger: ExecutionLedger; readonly clock: Clock } & CancelPendingPorts & {
    readonly executions: RunningExecutions;
    readonly changes: StateChanges;
  };

type Cancelled = Pick<Execution, 'id' | 'state' | 'workspaceId' | 'createdAtMs'> &
  Partial<Pick<Execution, 'queuedAtMs'>>;

const ITS_CALLER: ApprovalCloser = { kind: 'caller', id: undefined, name: 'its caller' };

/**
 * Ends an execution that has not started. For one that may have started, the cancel request is stored, so that an offline agent
 * receives it when it reconnects; the agent reports the end (decision 18, time-out and cancel).
 */
export async function cancelExecution(
  ports: CancelPorts,
  execution: Cancelled,
  by = ITS_CALLER,
): Promise<void> {
  const { ledger, clock, executions, changes } = ports;
  const { id } = execution;
  const nowMs = clock.nowMs();
  if (execution.state === 'pending_approval') return await cancelPending(ports, id, by);
  if (execution.state === 'queued') {
    const finish = { ...cancelledBeforeStart(), executionId: id, endedAtMs: nowMs };
    const known = await ledger.find(id);
    const alerts = known === undefined ? [] : await executions.alertsOf(known, finish);
    if (await ledger.finishQueued({ ...finish, alerts }, quotaOf(execution))) return changes.changed(id);
    // It was dispatched meanwhile.
  }
  if (await ledger.askCancel(id, nowMs)) executions.cancel(id);
}

async function cancelPending(ports: CancelPorts, id: string, by: ApprovalCloser): Promise<void> {
  const approval = await ports.approvals.ofExecution(id);
  if (approval !== undefined && (await cancelPendingCall(ports, approval, by)))
    return ports.changes.changed(id);
  // It was decided meanwhile.
  const now = await ports.ledger.find(id);
  if (now !== undefined && now.state !== 'pending_approval') await cancelExecution(ports, now, by);
}

export type CancelPendingPorts = {
  readonly clock: Clock;
  readonly ledger: ExecutionLedger;
  readonly endpoints: Endpoints;
  readonly random: Random;
} & ApprovalPorts;

/**
 * Cancels a pending call: the approval closes, and callers that wait for the decision get it. False when the approval was decided
 * before.
 */
export async function cancelPendingCall(
  ports: CancelPendingPorts,
  approval: Approval,
  by: ApprovalCloser,
): Promise<boolean> {
  const { approvals, clock } = ports;
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
  const alerts = await alertsOf(ports, approval, closing);
  const outcome = await approvals.close(approval, closing, end, { entry: undefined, alerts });
  return outcome === 'stored';
}

async function alertsOf(
  ports: CancelPendingPorts,
  approval: Approval,
  closing: ApprovalClosing,
): Promise<AlertEvent[]> {
  const held = await pendingCallOf(ports, approval);
  if (held === undefined) return [];
  const endpoint = await ports.endpoints.byId(held.execution.endpointId);
  return [closedEvent(ports, { ...held, callbackUrl: endpoint?.endpoint.callbackUrl }, closing)];
}
