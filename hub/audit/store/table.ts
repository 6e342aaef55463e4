/** Where the audit log of a workspace ends. The row stays when the workspace goes. */
export interface AuditHeadRow {
  workspace_id: string;
  seq: number;
  hash: string;
  closed_at_ms: number | null;
}

export interface AuditEntryRow {
  workspace_id: string;
  seq: number;
  at_ms: number;
  action: string;
  actor_id: string | null;
  /** What was hashed: canonical JSON. The columns before it are parts of it, to be found by. */
  text: string;
  hash: string;
}
