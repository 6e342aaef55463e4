import type { Approval, ApprovalCloser } from '@svc/core/approval/approval';
import type { ApprovalChange } from '@svc/core/approval/decide-approval';
import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { type AlertEventDeps, closedEvent, endedEvents } from './approval-events.ts';
import type { ApprovalDeps, Approvals, ClosedAlong, RetainedEnd } from './approval-ports.ts';
import type { PendingCallRecord } from './pending-call.ts';
import type { PreconditionDeps } from './preconditions.ts';

export type ApplyDeps = PreconditionDeps & ApprovalDeps & AlertEventDeps;

/** The writes that are stored with the change. */
export interface ApprovalWrites {
  /** The next state of the execution: queued, or ended by the change. */
  readonly end: RetainedEnd;
  readonly source: AuditSource;
  readonly details?: AuditEntry['details'];
  readonly decidedBy?: ClosedAlong['decidedBy'];
  readonly passkey?: ClosedAlong['passkey'];
}

/**
 * Stores a change by compare-and-set: approval, execution, quota, audit entry and alerts in one transaction. Its
 * event wakes the callers that wait for the decision.
 */
export async function applyChange(
  deps: ApplyDeps,
  call: PendingCallRecord,
  { closing, action, details }: ApprovalChange,
  along: ApprovalWrites,
): Promise<Awaited<ReturnType<Approvals['close']>>> {
  const { approval, execution } = call;
  const { end, decidedBy, passkey } = along;
  const endpoint = await deps.endpoints.byId(execution.endpointId);
  const alerts = [
    closedEvent(deps, { ...call, callbackUrl: endpoint?.endpoint.callbackUrl }, closing),
    ...(await endedEvents(deps, execution, end, closing.atMs)),
  ];
  const source = sourceOf(closing.by, along.source);
  const entry = entryOf(approval, source, closing.atMs, action, { ...details, ...along.details });
  return await deps.approvals.close(approval, closing, end, { entry, decidedBy, passkey, alerts });
}

/** The hub, which closes an approval when its time is over. */
export const HUB_SOURCE: AuditSource = {
  actor: { kind: 'hub', id: undefined, name: 'the hub' },
  from: { address: undefined, userAgent: undefined },
};

function sourceOf({ kind }: ApprovalCloser, source: AuditSource): AuditSource {
  return kind === 'hub' ? HUB_SOURCE : source;
}

export function entryOf(
  { workspaceId, id, slug, executionId }: Approval,
  source: AuditSource,
  atMs: number,
  action: AuditAction,
  details: AuditEntry['details'] = {},
): AuditEntry {
  const target = { kind: 'approval', id, name: slug } as const;
  return { ...source, workspaceId, atMs, action, target, details: { execution_id: executionId, ...details } };
}
