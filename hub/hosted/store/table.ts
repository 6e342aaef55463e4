/** The token of a host of the hosted runner. It belongs to the operator and to no workspace. */
export interface RunnerTokenRow {
  id: string;
  name: string;
  hash: string;
  last4: string;
  created_at_ms: number;
  revoked_at_ms: number | null;
}

/** A host; the row outlives its connections. */
export interface RunnerRow {
  instance: string;
  token_id: string;
  version: string;
  hostname: string;
  engine: string;
  capacity: number;
  hub_id: string | null;
  connected_at_ms: number;
  seen_at_ms: number;
  /** The same as in the rows of agents. */
  journal_seq: number | null;
  journal_damaged_at_ms: number | null;
}

export interface HostedWorkspaceRow {
  workspace_id: string;
  /** Counts started executions; the row exists for its lock. */
  turn: number;
  network: number;
}

/** The host that a pipeline run is pinned to. */
export interface HostedRunRow {
  run_id: string;
  workspace_id: string;
  instance: string;
  pinned_at_ms: number;
}
