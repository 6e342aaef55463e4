/** The reconnect grace period of an agent, after which its running executions are `lost` (decision 30, liveness). */
export const RECONNECT_GRACE_MS = 120_000;
/**
 * The interval of a hub's heartbeats, and the lease after which others take over its executions (decision 24, states and
 * takeover).
 */
export const HUB_HEARTBEAT_MS = 5_000;
export const HUB_LEASE_MS = 15_000;

/** The decision about a running execution when its agent process reconnects. */
export type OnReturn = 'resume' | 'dispatch_again' | 'cancelled' | 'never_ran' | 'lost';

export interface Returned {
  /** The agent's journal has it. */
  readonly isInFlight: boolean;
  /** The machine has not restarted, so the journal is complete. */
  readonly isSameBoot: boolean;
  /** It is still wanted: it is asynchronous, or its caller is connected. */
  readonly isWanted: boolean;
  /** Its cancellation was requested. */
  readonly isCancelled: boolean;
}

/**
 * Never runs an order twice: only a complete journal without the id proves that nothing has started (decision 24, states
 * and takeover).
 */
export function onReturn({ isInFlight, isSameBoot, isWanted, isCancelled }: Returned): OnReturn {
  if (isInFlight) return 'resume';
  if (!isSameBoot) return 'lost';
  if (isCancelled) return 'cancelled';
  return isWanted ? 'dispatch_again' : 'never_ran';
}

/** The decision of a starting hub about an execution that an earlier one left unfinished. */
export type OnHubStart = 'await_agent' | 'await_dispatch' | 'reject' | 'leave';

export function onHubStart(execution: {
  readonly state: string;
  readonly asynchronous: boolean;
}): OnHubStart {
  if (execution.state === 'running') return 'await_agent';
  if (execution.state !== 'queued') return 'leave';
  return execution.asynchronous ? 'await_dispatch' : 'reject';
}
