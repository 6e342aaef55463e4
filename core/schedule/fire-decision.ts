import { type Ended, missedBecause } from '../execution/outcome.ts';
import { hasRoom } from '../execution/placement.ts';
import type { MissedReason } from '../execution/state.ts';
import type { WaitingReason } from '../execution/waiting.ts';
import { FIRE_WAIT_MS } from './due-fires.ts';

/** What is known of the endpoint and its agent when a fire is due. */
export interface FireSituation {
  /** An agent that could run it is connected. */
  readonly isConnected: boolean;
  /** A hub was there at the fire time, and knows that no agent was. Else one may come back in the time that is left. */
  readonly wasHubUp: boolean;
  /** How many of its executions are under way. */
  readonly running: number;
  readonly maxConcurrent: number | undefined;
}

export type FireDecision =
  | { readonly kind: 'start' }
  | { readonly kind: 'missed'; readonly reason: MissedReason };

/** Whether a fire starts, or why not: it is skipped, never put off until there is an agent or room (reference 3.3). */
export function decideFire({ isConnected, wasHubUp, running, maxConcurrent }: FireSituation): FireDecision {
  if (!isConnected && wasHubUp) return { kind: 'missed', reason: 'agent_offline' };
  if (!hasRoom(running, maxConcurrent)) return { kind: 'missed', reason: 'overlap' };
  return { kind: 'start' };
}

const MISSED = {
  agent_offline: 'no agent that could run it was connected when it was due',
  hub_down: 'the hub was not running when it was due',
  quota: 'the executions of the month were used up when it was due',
  overlap: 'as many of its endpoint ran as may when it was due',
} as const satisfies Record<MissedReason, string>;

/** What is put on record of a fire that does not start. */
export function missedFire(reason: MissedReason): Ended {
  return missedBecause(reason, MISSED[reason]);
}

/** How a fire ends that was on record as queued, and was not given to an agent in time. */
export function missedWaiting(waitingReason: WaitingReason, wasHubUp: boolean): Ended {
  if (waitingReason === 'busy') return missedFire('overlap');
  if (waitingReason === 'no_place')
    return missedBecause('overlap', 'no place on the hosted runner was free when it was due');
  if (wasHubUp && ['no_agent', 'no_host', 'host_gone'].includes(waitingReason))
    return missedFire('agent_offline');
  return missedBecause('hub_down', `it was not given to an agent within ${FIRE_WAIT_MS / 1000} s`);
}
