import { type Ended, missedBecause } from '../execution/outcome.ts';
import { hasRoom } from '../execution/placement.ts';
import type { MissedReason } from '../execution/state.ts';
import type { WaitingReason } from '../execution/waiting.ts';
import { FIRE_WAIT_MS } from './due-fires.ts';

/** The state of the endpoint and its agent when a fire is due. */
export interface FireSituation {
  /** True if a suitable agent is connected. */
  readonly isConnected: boolean;
  /** True if a hub was running at the fire time and saw no agent. Otherwise an agent may still reconnect in time. */
  readonly wasHubUp: boolean;
  /** The number of running executions of the endpoint. */
  readonly running: number;
  readonly maxConcurrent: number | undefined;
}

export type FireDecision =
  | { readonly kind: 'start' }
  | { readonly kind: 'missed'; readonly reason: MissedReason };

/** Decides whether a fire starts, and why not. A fire is skipped, never delayed (reference 3.3). */
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

/** The record of a fire that did not start. */
export function missedFire(reason: MissedReason): Ended {
  return missedBecause(reason, MISSED[reason]);
}

/** The result of a queued fire that was not dispatched in time. */
export function missedWaiting(waitingReason: WaitingReason, wasHubUp: boolean): Ended {
  if (waitingReason === 'busy') return missedFire('overlap');
  if (waitingReason === 'no_place')
    return missedBecause('overlap', 'no place on the hosted runner was free when it was due');
  if (wasHubUp && ['no_agent', 'no_host', 'host_gone'].includes(waitingReason))
    return missedFire('agent_offline');
  return missedBecause('hub_down', `it was not given to an agent within ${FIRE_WAIT_MS / 1000} s`);
}
