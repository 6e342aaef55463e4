/** What a host of the hosted runner connects with: the operator's, of no workspace. */
export interface RunnerTokenRow {
  id: string;
  name: string;
  hash: string;
  last4: string;
  created_at_ms: number;
  revoked_at_ms: number | null;
}

/** A host that is or was connected; the row outlives its connections. */
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
  /** As in the rows of agents. */
  journal_seq: number | null;
  journal_damaged_at_ms: number | null;
}

export interface HostedWorkspaceRow {
  workspace_id: string;
  /** Counts what was begun; its lock is what it is there for. */
  turn: number;
  network: number;
}

/** The host that has the volume of a pipeline run. */
export interface HostedRunRow {
  run_id: string;
  workspace_id: string;
  instance: string;
  pinned_at_ms: number;
}
