import { type Ended, rejectedBecause } from './outcome.ts';

/** How long a queued execution that nobody waits for on a connection waits for its agent (decision 24). */
export const DISPATCH_WAIT_MS = 120_000;

/** Why a queued execution has not been given to an agent yet. */
export type Hindrance = 'no_agent' | 'busy' | 'values_gone';

/** What a queued execution that no agent took in time is told. */
export function endedWaiting(hindrance: Hindrance): Ended {
  const waited = `within ${DISPATCH_WAIT_MS / 1000} s`;
  switch (hindrance) {
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
    case 'values_gone':
      return rejectedBecause(
        'hub_restart',
        'unavailable',
        'its secret arguments were erased, or sealed with a master key that is gone',
      );
  }
}
