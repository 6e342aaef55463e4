import type { AlertEvent } from '@svc/core/alert/event';
import type { AlertDelivery, AlertRule } from '../../engine/ports/alerts.ts';
import type { Store } from '../create-store.ts';
import { auditEntry, NOW_MS, newId } from '../fixtures/samples.ts';

export function alertEvent(more: Partial<AlertEvent> = {}): AlertEvent {
  return {
    id: newId(),
    workspaceId: 'w1',
    name: 'execution.failed',
    atMs: NOW_MS,
    slug: 'deploy',
    agentName: 'default',
    data: { endpoint: 'deploy', error: 'it "failed"' },
    sealedLink: undefined,
    callbackUrl: undefined,
    ...more,
  };
}

/** In the lane of its rule, unless told otherwise. */
export function alertDelivery(more: Partial<AlertDelivery> = {}): AlertDelivery {
  const event = more.event ?? alertEvent();
  const ruleId = more.ruleId ?? 'r1';
  return {
    id: `msg_${newId()}`,
    event,
    ruleId,
    lane: `rule ${ruleId}`,
    party: event.workspaceId,
    createdAtMs: NOW_MS,
    ...more,
  };
}

export function alertRule(more: Partial<AlertRule> = {}): AlertRule {
  return {
    id: newId(),
    workspaceId: 'w1',
    name: 'on call',
    events: ['execution.failed'],
    slug: undefined,
    agentName: undefined,
    channel: 'webhook',
    sealedTarget: 'sealed',
    shownTarget: 'https://example.org/…',
    secret: { sealed: 'sealed too', previous: undefined },
    isEnabled: true,
    createdBy: 'u1',
    createdAtMs: NOW_MS,
    revision: 1,
    ...more,
  };
}

/** Rules of one's own, in a workspace of one's own. */
export async function storedRule(store: Store, more: Partial<AlertRule> = {}): Promise<AlertRule> {
  const rule = alertRule({ workspaceId: newId(), ...more });
  await store.alertRules.add(rule, auditEntry(rule.workspaceId));
  return rule;
}
