/** An agent process; the row outlives its connections. */
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
  /** The last stored line number of its journal; null: none. */
  journal_seq: number | null;
  /** When it replaced an instance with a damaged journal. */
  journal_damaged_at_ms: number | null;
}

/** The token that owns an agent process, for good. */
export interface AgentInstanceRow {
  workspace_id: string;
  instance: string;
  token_id: string;
  agent_name: string;
  hostname: string;
  /** 1: it was the first process of its token, or existed before tokens were bound. */
  is_known: number;
  first_seen_ms: number;
}
