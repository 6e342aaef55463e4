import type { JsonObject } from '../reference/json-value.ts';
import type { StepResult } from '../reference/resolve-reference.ts';

/**
 * The states of a pipeline run (decision 41, pipeline runs).
 *
 *   queued ─► running ◄─► waiting_approval        `waiting_approval`: only approvals are pending
 *     │          └───────────────┴─► succeeded | failed | cancelled
 *     └► cancelled
 */
export const RUN_STATES = [
  'queued',
  'running',
  'waiting_approval',
  'succeeded',
  'failed',
  'cancelled',
] as const;
export type RunState = (typeof RUN_STATES)[number];

/** The allowed transitions. A state with an empty row is final. */
export const RUN_NEXT = {
  queued: ['running', 'succeeded', 'failed', 'cancelled'],
  running: ['waiting_approval', 'succeeded', 'failed', 'cancelled'],
  waiting_approval: ['running', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<RunState, readonly RunState[]>;

/** The states of a node: a step, or a condition, which is `succeeded` after its evaluation. */
export const NODE_STATES = [...RUN_STATES, 'skipped'] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** The allowed transitions of a node. `queued` comes again before a retry. */
export const NODE_NEXT = {
  queued: ['running', 'waiting_approval', 'succeeded', 'failed', 'cancelled', 'skipped'],
  running: ['queued', 'succeeded', 'failed', 'cancelled'],
  waiting_approval: ['running', 'queued', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
  skipped: [],
} as const satisfies Record<NodeState, readonly NodeState[]>;

/**
 * The outcome of a step's execution: the final states of decision 24, states and takeover. Denied, expired and lost count
 * as failures.
 */
export const STEP_OUTCOMES = [
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'denied',
  'expired',
  'rejected',
] as const;
export type StepOutcome = (typeof STEP_OUTCOMES)[number];

/** The record of one node of a run. Plain JSON, one row of the store. */
export interface NodeRecord {
  readonly id: string;
  readonly state: NodeState;
  /** The number of the attempt, from 1; 0 before the first is ordered. */
  readonly attempt: number;
  /** The number of incoming edges whose source has not ended. */
  readonly undecided: number;
  /** The number of incoming edges that the run took. */
  readonly arrived: number;
  /** The number of those that come from a failed step with `continue`. */
  readonly arrivedFailed: number;
  /** The time of the next attempt. */
  readonly retryAtMs?: number;
  /** A cancel was requested. */
  readonly cancelling?: true;
  /** The outcome of the last attempt. */
  readonly outcome?: StepOutcome;
  readonly error?: string;
  /** The results that later nodes refer to. */
  readonly result?: StepResult;
  /** The answer of a condition. */
  readonly holds?: boolean;
  /** The results from an earlier run. The step is not run again when its turn comes. */
  readonly carried?: StepResult;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
}

/** The record of a run without its nodes and its input. */
export interface RunHead {
  readonly state: RunState;
  /** Increases with every change, for compare-and-set. */
  readonly revision: number;
  /** The end that the run is approaching while its cancelled steps end. */
  readonly stopping?: 'failed' | 'cancelled';
  /** The step whose failure stopped the run. */
  readonly stoppedBy?: string;
  /** The number of nodes that are not final, of those that were ordered to start, and of those that wait for approval. */
  readonly open: number;
  readonly active: number;
  readonly waiting: number;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
}

/** One run. Its input never changes. */
export interface Run {
  readonly input: JsonObject;
  readonly head: RunHead;
  readonly nodes: ReadonlyMap<string, NodeRecord>;
}

/** True if the node is in a final state. */
export function isDone({ state }: Pick<NodeRecord, 'state'>): boolean {
  return NODE_NEXT[state].length === 0;
}

/** True if the run is in a final state. */
export function hasRunEnded({ state }: Pick<RunHead, 'state'>): boolean {
  return RUN_NEXT[state].length === 0;
}
