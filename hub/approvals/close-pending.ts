import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval, ApprovalCloser, ApprovalClosing } from '@svc/core/approval/approval';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Clock, Random } from '../platform/world.ts';
import { closedEvent } from './approval-events.ts';
import type { ApprovalPorts } from './approval-ports.ts';
import { pendingCallOf } from './pending-call.ts';

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
  const told = await alertsOf(ports, approval, closing);
  const outcome = await approvals.close(approval, closing, end, { entry: undefined, told });
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
