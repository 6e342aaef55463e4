import type { ApprovalCloser } from '@svc/core/approval/approval';
import { cancelledBeforeStart } from '@svc/core/execution/outcome';
import type { Execution, ExecutionLedger } from '../executions/execution-ports.ts';
import { quotaOf, type RunningExecutions } from '../executions/live/running-executions.ts';
import type { StateChanges } from '../executions/live/state-changes.ts';
import type { Clock } from '../platform/world.ts';
import { type CancelPendingPorts, cancelPendingCall } from './close-pending.ts';

type CancelPorts = { readonly ledger: ExecutionLedger; readonly clock: Clock } & CancelPendingPorts & {
    readonly executions: RunningExecutions;
    readonly changes: StateChanges;
  };

type Cancelled = Pick<Execution, 'id' | 'state' | 'workspaceId' | 'createdAtMs'> &
  Partial<Pick<Execution, 'queuedAtMs'>>;

const ITS_CALLER: ApprovalCloser = { kind: 'caller', id: undefined, name: 'its caller' };

/**
 * Ends an execution that has not started. For one that may have started, the cancel request is stored, so that an offline agent
 * receives it when it reconnects; the agent reports the end (decision 18, cancel).
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
