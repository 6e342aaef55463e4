import type { AuditAction } from '@svc/core/audit/actions';
import type { ChainEnd, StoredLink } from '@svc/core/audit/chain';
import type { AuditRecord } from '@svc/core/audit/entry';
import type { Page } from '../platform/page-of-items.ts';

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

export interface AuditLog {
  /** The newest first. */
  page(filter: AuditFilter): Promise<Page<AuditRecord>>;
  /** In the order of the chain, those behind `seq`. */
  recordsAfter(workspaceId: string, seq: number, limit: number): Promise<AuditRecord[]>;
  /** The same, as the rows are. */
  linksAfter(workspaceId: string, seq: number, limit: number): Promise<StoredLink[]>;
  head(workspaceId: string): Promise<AuditHead | undefined>;
  /** In the order of the ids of their workspaces, those behind this one. */
  headsAfter(workspaceId: string, limit: number): Promise<AuditHead[]>;
}
