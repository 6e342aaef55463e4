import type { AuditAction } from '@svc/core/audit/actions';
import type { ChainEnd } from '@svc/core/audit/chain';

// Records for reading audit logs. The store of each change writes its own entry.

export interface AuditFilter {
  readonly workspaceId: string;
  readonly action?: AuditAction;
  readonly actorId?: string;
  /** The beginning of the name of the actor or target. */
  readonly name?: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly cursor?: string;
  readonly limit: number;
}

/** The end of a workspace's log. It is stored separately from the entries, so that a truncated log is noticed. */
export interface AuditHead extends ChainEnd {
  readonly workspaceId: string;
  /** When the workspace was deleted; only its last entry is left. */
  readonly closedAtMs: number | undefined;
}
