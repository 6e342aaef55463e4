import type { AlertEvent } from './event.ts';

const TRIAL = 'trial ';

/** The most alerts that wait in a delivery queue. Further ones are dropped, and their log records it. */
export const MAX_IN_QUEUE = 1_000;

/**
 * The name of a delivery queue. Alerts of one queue are sent in the order of their events; different queues are
 * independent.
 */
export function ruleQueue(ruleId: string): string {
  return `rule ${ruleId}`;
}

/**
 * Events of one execution for one address keep their order: decided, then finished. A dead address of a caller does not delay the
 * callbacks of the endpoint's owner.
 *
 * @param address a short hash of the URL, because names of queues are shown in logs and a URL may contain a secret
 */
export function callbackQueue({ id, workspaceId, data }: AlertEvent, address: string): string {
  const { execution_id: executionId } = data;
  return `callback ${workspaceId} ${typeof executionId === 'string' ? executionId : id} ${address}`;
}

/** Mails to a member whom an event concerns although no rule says so. They are delivered by the outbox of mails. */
export function memberQueue(userId: string): string {
  return `member ${userId}`;
}

/** A test does not wait behind alerts that fail. */
export function testQueue({ id }: AlertEvent): string {
  return `${TRIAL}${id}`;
}

/** Whether the alert is a test, which is not repeated. */
export function isTrial(queue: string): boolean {
  return queue.startsWith(TRIAL);
}

/** The group that shares a limited number of connections, so that many callbacks do not block the rules. */
export function partyOf({ workspaceId }: AlertEvent, receiver: 'rule' | 'callback'): string {
  return receiver === 'rule' ? workspaceId : `${workspaceId} callbacks`;
}
