import type { ExecutionState, Reason } from '@svc/core/execution/state';
import type { NewExecution } from '../execution-ports.ts';

/** Written by triggers (migration 0019), on SQLite through notes, and by the count of earlier executions. */
export interface ExecutionCountRow {
  workspace_id: string;
  /** Empty: all endpoints of the workspace. */
  slug: string;
  /** An hour or a day. */
  span_ms: number;
  from_ms: number;
  state: ExecutionState;
  /** The bucket of core/execution/duration-bucket.ts; -1: the command never ran. */
  bucket: number;
  shard: number;
  count: number;
}

/** The counts of a finished hour or day, one row for each state. Written by a function of the database, on PostgreSQL only. */
export interface PackedCountRow {
  workspace_id: string;
  /** Empty: all endpoints of the workspace. */
  slug: string;
  span_ms: number;
  from_ms: number;
  state: ExecutionState;
  /** Duration bucket, count, and so on, separated by commas. */
  durations: string;
}

/** An end that is not in the counts yet. Written by triggers, on SQLite only. */
export interface ExecutionCountChangeRow {
  seq: number;
  workspace_id: string;
  slug: string;
  created_at_ms: number;
  state: ExecutionState;
  duration_ms: number | null;
  /** 1; or -1 when a `lost` execution turned out to have ended. */
  change: number;
}

export interface ExecutionRow {
  id: string;
  workspace_id: string;
  endpoint_id: string;
  endpoint_version: number | null;
  slug: string;
  definition_hash: string;
  state: ExecutionState;
  reason: Reason | null;
  trigger: NewExecution['trigger'];
  caller_kind: NewExecution['callerKind'];
  caller_id: string | null;
  args: string;
  /** Values of secret arguments, encrypted; null once the agent has them. */
  sealed_args: string | null;
  agent_name: string | null;
  agent_instance: string | null;
  agent_boot: string | null;
  hub_id: string;
  asynchronous: number;
  timeout_sec: number;
  created_at_ms: number;
  read_token_hash: string | null;
  /** The fire time of a scheduled execution; an endpoint has one fire per minute. */
  scheduled_for_ms: number | null;
  /** The number of lost fires that the record represents. */
  missed_fires: number | null;
  cancel_asked_at_ms: number | null;
  started_at_ms: number | null;
  ended_at_ms: number | null;
  exit_code: number | null;
  duration_ms: number | null;
  error: string | null;
  error_code: string | null;
  data: string | null;
  late: number;
  stored_bytes: number;
  last_seq: number;
  /** The time of the approval, for a call that was pending. */
  queued_at_ms: number | null;
  /** For a step: its run, its attempt, and its overrides of the endpoint. */
  run_id: string | null;
  step: string | null;
  attempt: number | null;
  /** JSON object of variables. */
  step_env: string | null;
  step_agent: string | null;
  /** The callback URL of the caller. */
  callback_url: string | null;
  /** The files that the command got, as JSON; null without any. */
  files: string | null;
}

/** With the column that lists and dispatch leave out, because its text may be long. */
export interface WholeExecutionRow extends ExecutionRow {
  /** When the output was written, as JSON; null: no output, or an agent of an earlier version. */
  line_times: string | null;
}

export interface OutputChunkRow {
  execution_id: string;
  seq: number;
  sse: Uint8Array;
  endings: string | null;
}

export interface IdempotencyRow {
  endpoint_id: string;
  credential: string;
  key: string;
  execution_id: string;
  request_hash: string;
  expires_at_ms: number;
}
