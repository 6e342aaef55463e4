/** How long the agent of a running execution may be away before it is `lost` (decision 30). */
export const RECONNECT_GRACE_MS = 120_000;
/** How often a hub writes that it lives, and how long it may fail to before others take over what it had (decision 24). */
export const HUB_HEARTBEAT_MS = 5_000;
export const HUB_LEASE_MS = 15_000;

/** What becomes of a running execution when the agent process that it was given to is back. */
export type OnReturn = 'resume' | 'dispatch_again' | 'cancelled' | 'never_ran' | 'lost';

export interface Returned {
  /** The agent's journal has it. */
  readonly isInFlight: boolean;
  /** The machine has not been started anew, so the journal is complete. */
  readonly isSameBoot: boolean;
  /** Somebody still wants it: it is asynchronous, or its caller is on the line. */
  readonly isWanted: boolean;
  /** Somebody has asked to end it. */
  readonly isCancelled: boolean;
}

/** Never twice: only a journal that survived and lacks the id proves that nothing has started (decision 24). */
export function onReturn({ isInFlight, isSameBoot, isWanted, isCancelled }: Returned): OnReturn {
  if (isInFlight) return 'resume';
  if (!isSameBoot) return 'lost';
  if (isCancelled) return 'cancelled';
  return isWanted ? 'dispatch_again' : 'never_ran';
}

/** What a hub that starts does with an execution that an earlier one left unfinished. */
export type OnHubStart = 'await_agent' | 'await_dispatch' | 'reject' | 'leave';

export function onHubStart(execution: {
  readonly state: string;
  readonly asynchronous: boolean;
}): OnHubStart {
  if (execution.state === 'running') return 'await_agent';
  if (execution.state !== 'queued') return 'leave';
  return execution.asynchronous ? 'await_dispatch' : 'reject';
}
