import type { Approval, ApprovalClosing } from '@svc/core/approval/approval';
import { rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { ApprovalRow } from './table.ts';

export const APPROVAL_COLUMNS = [
  'id',
  'workspace_id',
  'execution_id',
  'slug',
  'agent_name',
  'requested_by',
  'requester_id',
  'generation',
  'created_at_ms',
  'expires_at_ms',
  'state',
  'reason',
  'closed_at_ms',
  'closed_by_kind',
  'closed_by_id',
  'closed_by_name',
  'comment',
] as const satisfies readonly (keyof ApprovalRow)[];

type ClosingColumns = Pick<
  ApprovalRow,
  'state' | 'reason' | 'closed_at_ms' | 'closed_by_kind' | 'closed_by_id' | 'closed_by_name' | 'comment'
>;

export function approvalRow({ closing, ...approval }: Approval): ApprovalRow {
  return { ...rowOf(approval), ...closingColumns(closing) };
}

export function closingColumns(closing: ApprovalClosing | undefined): ClosingColumns {
  return {
    state: closing?.state ?? 'pending',
    reason: closing?.reason ?? null,
    closed_at_ms: closing?.atMs ?? null,
    closed_by_kind: closing?.by.kind ?? null,
    closed_by_id: closing?.by.id ?? null,
    closed_by_name: closing?.by.name ?? null,
    comment: closing?.comment ?? null,
  };
}

export function approvalOf(row: ApprovalRow): Approval {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    executionId: row.execution_id,
    slug: row.slug,
    agentName: row.agent_name,
    requestedBy: row.requested_by,
    requesterId: row.requester_id ?? undefined,
    generation: row.generation,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    closing: closingOf(row),
  };
}

function closingOf(row: ClosingColumns): ApprovalClosing | undefined {
  const { state, closed_at_ms: atMs, closed_by_kind: kind } = row;
  if (state === 'pending' || atMs === null || kind === null) return undefined;
  return {
    state,
    reason: row.reason ?? undefined,
    atMs,
    by: { kind, id: row.closed_by_id ?? undefined, name: row.closed_by_name ?? '' },
    comment: row.comment ?? undefined,
  };
}
