import type { ApprovalCloser, ApprovalState, ExpiryReason } from '@svc/core/approval/approval';

/** A call that is or was pending approval. */
export interface ApprovalRow {
  id: string;
  workspace_id: string;
  execution_id: string;
  slug: string;
  agent_name: string;
  requested_by: string;
  requester_id: string | null;
  generation: number;
  created_at_ms: number;
  expires_at_ms: number;
  state: ApprovalState;
  reason: ExpiryReason | null;
  closed_at_ms: number | null;
  closed_by_kind: ApprovalCloser['kind'] | null;
  closed_by_id: string | null;
  closed_by_name: string | null;
  comment: string | null;
}
