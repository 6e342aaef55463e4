/** An agent process that has been here; the row outlives its connections. */
export interface AgentRow {
  workspace_id: string;
  name: string;
  instance: string;
  version: string;
  hostname: string;
  os: string;
  arch: string;
  local_only: number;
  /** The hub that it is connected to; null: none. */
  hub_id: string | null;
  connected_at_ms: number;
  seen_at_ms: number;
  /** The number of the last line of its journal, as far as it is stored; null: its journal has none. */
  journal_seq: number | null;
  /** Since when it stands for an instance whose journal was damaged. */
  journal_damaged_at_ms: number | null;
}

/** To which token an agent process belongs, for good. */
export interface AgentInstanceRow {
  workspace_id: string;
  instance: string;
  token_id: string;
  agent_name: string;
  hostname: string;
  /** 1: it was the first process of its token, or was there before tokens were bound. */
  is_known: number;
  first_seen_ms: number;
}
