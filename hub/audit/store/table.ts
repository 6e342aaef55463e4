/** The end of a workspace's audit log. The row outlives the workspace. */
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
  /** The hashed text, canonical JSON. The columns before it repeat parts of it for queries. */
  text: string;
  hash: string;
}
