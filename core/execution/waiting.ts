import { type Ended, rejectedBecause } from './outcome.ts';

/** How long a queued execution without a waiting connection waits for its agent (decision 24, states and takeover). */
export const DISPATCH_WAIT_MS = 120_000;

/** Why a queued execution has not been given to an agent yet. */
export type WaitingReason = 'no_agent' | 'busy' | 'values_gone' | HostedWaitingReason;

/** The same of a hosted one: no host is there, or not the one of its pipeline run, or as many run as may. */
export type HostedWaitingReason = 'no_host' | 'host_gone' | 'no_place';

/** How long a call that finds no place on the hosted runner waits for one (decision 50, the queue of the hosted runner). */
export const HOSTED_WAIT_MS = 30_000;

/** The error of a queued execution that no agent took in time. */
export function endedWaiting(waitingReason: WaitingReason, waitMs = DISPATCH_WAIT_MS): Ended {
  const waited = `within ${waitMs / 1000} s`;
  switch (waitingReason) {
    case 'no_agent':
      return rejectedBecause(
        'agent_offline',
        'agent_offline',
        `no agent that could run it connected ${waited}`,
      );
    case 'busy':
      return rejectedBecause(
        'refused',
        'concurrency_limited',
        `as many of its endpoint ran as may, and none ended ${waited}`,
      );
    case 'no_host':
      return rejectedBecause('agent_offline', 'agent_offline', `no hosted runner connected ${waited}`);
    case 'host_gone':
      return rejectedBecause(
        'agent_offline',
        'agent_offline',
        `the host that has the files of this pipeline run was not there, nor came back ${waited}`,
      );
    case 'no_place':
      return rejectedBecause(
        'refused',
        'concurrency_limited',
        `no place on the hosted runner was free ${waited}`,
      );
    case 'values_gone':
      return rejectedBecause(
        'hub_restart',
        'unavailable',
        'its secret arguments were erased, or sealed with a master key that is gone',
      );
  }
}
