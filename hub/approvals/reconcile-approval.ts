import type { Approval, ApprovalCloser, ApprovalClosing } from '@svc/core/approval/approval';
import type { StaleBecause } from '@svc/core/approval/decide-approval';
import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditEntry, AuditSource } from '@svc/core/audit/entry';
import type { Endpoints } from '../endpoints/endpoint-ports.ts';
import type { StateChanges } from '../executions/live/state-changes.ts';
import { closedEvent, type TellPorts } from './approval-events.ts';
import type { ApprovalPorts, Approvals, ClosedAlong, RetainedEnd } from './approval-ports.ts';
import type { PendingCallRecord } from './pending-call.ts';

export type ReconcilePorts = { readonly endpoints: Endpoints } & ApprovalPorts &
  TellPorts & { readonly changes: StateChanges };

/** What the hub closes by itself, because of the time. */
const HUB_SOURCE: AuditSource = {
  actor: { kind: 'hub', id: undefined, name: 'the hub' },
  from: { address: undefined, userAgent: undefined },
};
const HUB: ApprovalCloser = { kind: 'hub', id: undefined, name: 'the hub' };

const STALE: Readonly<Record<StaleBecause, string>> = {
  definition_changed: 'its endpoint was changed after the call',
  endpoint_deleted: 'its endpoint was deleted after the call',
  key_revoked: 'the API key of its caller was revoked or has expired',
  member_removed: 'its caller is no member of the workspace any more',
};

/** Why the call that was shown is not there to be approved any more. */
export function staleMessage(because: StaleBecause): string {
  return `it cannot be approved: ${STALE[because]}`;
}

type Closed = Awaited<ReturnType<Approvals['close']>>;

/** Stores how an approval ends, with its execution and its entry of the audit log, and then tells who waits for it. */
export async function settle(
  ports: ReconcilePorts,
  held: PendingCallRecord,
  closing: ApprovalClosing,
  end: RetainedEnd,
  along: Pick<ClosedAlong, 'entry' | 'decidedBy'>,
): Promise<Closed> {
  const { approval, execution } = held;
  const endpoint = await ports.endpoints.byId(execution.endpointId);
  const told = [closedEvent(ports, { ...held, callbackUrl: endpoint?.endpoint.callbackUrl }, closing)];
  const outcome = await ports.approvals.close(approval, closing, end, { ...along, told });
  ports.changes.changed(approval.executionId);
  return outcome;
}

/** Nobody decided in time. */
export function settleExpired(ports: ReconcilePorts, held: PendingCallRecord, atMs: number): Promise<Closed> {
  const closing = { state: 'expired', reason: 'timed_out', atMs, by: HUB, comment: undefined } as const;
  const error = 'nobody approved it in time';
  const end = { state: 'expired', reason: undefined, error, errorCode: 'approval_expired' } as const;
  const entry = entryOf(held.approval, HUB_SOURCE, atMs, 'approval.expired');
  return settle(ports, held, closing, end, { entry });
}

/** What was asked for is not what would run (decision 35). */
export function settleStale(
  ports: ReconcilePorts,
  held: PendingCallRecord,
  because: StaleBecause,
  closing: Pick<ApprovalClosing, 'atMs' | 'by' | 'comment'>,
  source: AuditSource,
): Promise<Closed> {
  const end = {
    state: 'rejected',
    reason: 'stale',
    error: staleMessage(because),
    errorCode: 'stale',
  } as const;
  const entry = entryOf(held.approval, source, closing.atMs, 'approval.stale', { because });
  return settle(ports, held, { ...closing, state: 'expired', reason: 'stale' }, end, { entry });
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
