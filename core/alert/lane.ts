import type { AlertEvent } from './event.ts';

const TRIAL = 'trial ';

/** So many wait in a lane; what comes then is given up at once, and its log says so. */
export const MAX_IN_QUEUE = 1_000;

/** Alerts in one lane go out one after another, in the order of their events; those of different lanes side by side. */
export function ruleQueue(ruleId: string): string {
  return `rule ${ruleId}`;
}

/** What is told of one execution keeps its order: decided, then finished. */
export function callbackQueue({ id, workspaceId, data }: AlertEvent): string {
  const { execution_id: executionId } = data;
  return `callback ${workspaceId} ${typeof executionId === 'string' ? executionId : id}`;
}

/** A trial does not wait behind alerts that do not arrive. */
export function testQueue({ id }: AlertEvent): string {
  return `${TRIAL}${id}`;
}

/** Whether whoever tries a rule waits for the answer: it is not tried again. */
export function isTrial(lane: string): boolean {
  return lane.startsWith(TRIAL);
}

/** Who shares a bounded number of connections: callbacks, of which there may be many, do not hold up the rules. */
export function partyOf({ workspaceId }: AlertEvent, receiver: 'rule' | 'callback'): string {
  return receiver === 'rule' ? workspaceId : `${workspaceId} callbacks`;
}
