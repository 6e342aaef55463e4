export interface SecretRow {
  workspace_id: string;
  name: string;
  sealed: string;
  /** JSON array of agent names. */
  agents: string | null;
  created_at_ms: number;
  updated_at_ms: number;
  updated_by: string;
}
