import type { AuditAction } from '@svc/core/audit/actions';
import type { ChainEnd } from '@svc/core/audit/chain';

// What is read of audit logs. Written they are by the ports of what changes: each change brings its entry.

export interface AuditFilter {
  readonly workspaceId: string;
  readonly action?: AuditAction;
  readonly actorId?: string;
  readonly fromMs?: number;
  readonly untilMs?: number;
  readonly cursor?: string;
  readonly limit: number;
}

/** Where the log of a workspace ends, kept apart from its entries: one that is cut off at its end shows. */
export interface AuditHead extends ChainEnd {
  readonly workspaceId: string;
  /** The workspace was deleted then: of its entries only the last one is left. */
  readonly closedAtMs: number | undefined;
}
