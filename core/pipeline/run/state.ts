import type { JsonObject } from '../reference/json-value.ts';
import type { StepResult } from '../reference/resolve-reference.ts';

/**
 * The life of a pipeline run (decision 41).
 *
 *   queued ─► running ◄─► waiting_approval        `waiting_approval`: nothing goes on but approvals
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

/** Which state may follow which; a state with an empty row is final. */
export const RUN_NEXT = {
  queued: ['running', 'succeeded', 'failed', 'cancelled'],
  running: ['waiting_approval', 'succeeded', 'failed', 'cancelled'],
  waiting_approval: ['running', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<RunState, readonly RunState[]>;

/** The states of a node: a step, or a condition, which is `succeeded` once it has an answer. */
export const NODE_STATES = [...RUN_STATES, 'skipped'] as const;
export type NodeState = (typeof NODE_STATES)[number];

/** The same for nodes; `queued` comes again where a step is tried again. */
export const NODE_NEXT = {
  queued: ['running', 'waiting_approval', 'succeeded', 'failed', 'cancelled', 'skipped'],
  running: ['queued', 'succeeded', 'failed', 'cancelled'],
  waiting_approval: ['running', 'queued', 'succeeded', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
  skipped: [],
} as const satisfies Record<NodeState, readonly NodeState[]>;

/** How the execution of a step ended: the final states of decision 24. Denied, expired and lost count as failure. */
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

/** What is on record of one node of a run. Plain JSON; one row of the store. */
export interface NodeRecord {
  readonly id: string;
  readonly state: NodeState;
  /** Which try it is, from 1; 0 until it is ordered to start. */
  readonly attempt: number;
  /** Edges to it whose other end is not done yet. */
  readonly undecided: number;
  /** Edges to it over which the run came. */
  readonly arrived: number;
  /** Those of them that come from a step that failed and said `continue`. */
  readonly arrivedFailed: number;
  /** It waits until then to be tried again. */
  readonly retryAtMs?: number;
  /** It was asked to end. */
  readonly cancelling?: true;
  /** How the last try ended. */
  readonly outcome?: StepOutcome;
  readonly error?: string;
  /** What later nodes may refer to, as far as one does. */
  readonly result?: StepResult;
  /** The answer of a condition. */
  readonly holds?: boolean;
  /** What it left behind in an earlier run: it is not run again when its turn comes. */
  readonly carried?: StepResult;
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
}

/** What is on record of a run besides its nodes and its input. */
export interface RunHead {
  readonly state: RunState;
  /** Grows with every change: what a compare-and-set compares. */
  readonly revision: number;
  /** It is coming to this end, and waits for steps that were asked to end. */
  readonly stopping?: 'failed' | 'cancelled';
  /** The step whose failure stopped it. */
  readonly stoppedBy?: string;
  /** How many nodes are not in a final state, how many of them are ordered to start, and how many of those wait for approval. */
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

/** True when nothing more can happen to the node. */
export function isDone({ state }: Pick<NodeRecord, 'state'>): boolean {
  return NODE_NEXT[state].length === 0;
}

/** True when nothing more can happen to the run. */
export function hasRunEnded({ state }: Pick<RunHead, 'state'>): boolean {
  return RUN_NEXT[state].length === 0;
}
