import type { NodeState, RunHead, RunState } from '@svc/core/pipeline/run/state';
import type { RunFacts } from '../run-ports.ts';

/** A run; its input is in a table of its own. */
export interface PipelineRunRow {
  id: string;
  workspace_id: string;
  pipeline_id: string;
  pipeline_version: number;
  slug: string;
  trigger: RunFacts['trigger'];
  caller_kind: RunFacts['callerKind'];
  caller_id: string | null;
  rerun_of: string | null;
  read_token_hash: string | null;
  hub_id: string;
  created_at_ms: number;
  cancel_asked_at_ms: number | null;
  state: RunState;
  revision: number;
  stopping: NonNullable<RunHead['stopping']> | null;
  stopped_by: string | null;
  open_nodes: number;
  active_nodes: number;
  waiting_nodes: number;
  started_at_ms: number | null;
  ended_at_ms: number | null;
}

export interface PipelineRunInputRow {
  run_id: string;
  /** JSON object; empty when the input is sealed. */
  input: string;
  /** The sealed JSON object, with null for fields of secret arguments. */
  sealed_input: string | null;
  /** The sealed JSON object of these fields; null when there are none, or the run has ended. */
  sealed_secrets: string | null;
  /** A signed request as it was received. */
  sealed_request: string | null;
}

/** The state of one node of a run. */
export interface PipelineNodeRow {
  run_id: string;
  node: string;
  /** The run's revision at its last change. */
  revision: number;
  state: NodeState;
  attempt: number;
  /** 1 while its execution is unfinished, as recorded by the run. */
  awaits: number;
  /** JSON of the whole node record. */
  record: string;
}
