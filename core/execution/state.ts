/**
 * The life of an execution (decision 24, states and takeover).
 *
 *   pending_approval ─► queued ─► running ─► succeeded | failed | timed_out | cancelled | lost
 *        │   │            │                                                        │
 *        │   └► denied    └► rejected | cancelled | missed     what the agent proves ◄┘ (late)
 *        └► expired | rejected
 *
 * `running` means that it may have started, so it gives way to `rejected` only where it is proved that it did not: the
 * frame was never written, or the agent's journal survived and lacks it.
 */
export const EXECUTION_STATES = [
  'pending_approval',
  'queued',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'cancelled',
  'lost',
  'denied',
  'expired',
  'missed',
  'rejected',
] as const;
export type ExecutionState = (typeof EXECUTION_STATES)[number];

/** The allowed transitions; a state with an empty row is final. `lost` gives way only to a proof of the agent. */
export const EXECUTION_NEXT = {
  pending_approval: ['queued', 'denied', 'expired', 'rejected', 'cancelled'],
  queued: ['running', 'rejected', 'cancelled', 'missed'],
  running: ['succeeded', 'failed', 'timed_out', 'cancelled', 'lost', 'rejected'],
  lost: ['succeeded', 'failed', 'timed_out', 'cancelled'],
  succeeded: [],
  failed: [],
  timed_out: [],
  cancelled: [],
  denied: [],
  expired: [],
  missed: [],
  rejected: [],
} as const satisfies Record<ExecutionState, readonly ExecutionState[]>;

export const REJECTION_REASONS = ['agent_offline', 'quota', 'stale', 'refused', 'hub_restart'] as const;
export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Why a fire of a schedule did not start (decision 37, schedules). */
export const MISSED_REASONS = ['agent_offline', 'hub_down', 'quota', 'overlap'] as const;
export type MissedReason = (typeof MISSED_REASONS)[number];

/** Why an execution never ran. */
export const REASONS = [...REJECTION_REASONS, 'hub_down', 'overlap'] as const satisfies readonly Reason[];
export type Reason = RejectionReason | MissedReason;

/** Whether the state is final, except for a late proof after `lost`. */
export function hasEnded(state: ExecutionState): boolean {
  return state === 'lost' || EXECUTION_NEXT[state].length === 0;
}

/** The states from which `next` may be reached: the `where` of every compare-and-set. */
export function statesBefore(next: ExecutionState): ExecutionState[] {
  return EXECUTION_STATES.filter((state) => (EXECUTION_NEXT[state] as readonly string[]).includes(next));
}
