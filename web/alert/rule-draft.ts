import { ALERT_EVENTS, type AlertEventName } from '@svc/core/alert/event';
import type { Item } from '../api/read.ts';

type Rule = Item<'listAlerts'>;

/** The content of the rule form. */
export interface RuleDraft {
  readonly name: string;
  readonly channel: Rule['channel'];
  readonly target: string;
  readonly events: ReadonlySet<AlertEventName>;
  readonly endpoint: string;
  readonly agent: string;
}

/** @param rule the edited rule. The API never returns a whole target, so the field starts empty */
export function ruleDraftOf(rule: Rule | undefined): RuleDraft {
  return {
    name: rule?.name ?? '',
    channel: rule?.channel ?? 'webhook',
    target: '',
    events: new Set(rule?.events),
    endpoint: rule?.endpoint ?? '',
    agent: rule?.agent ?? '',
  };
}

/** The events with one added or removed, in the order of `ALERT_EVENTS`. */
export function withEvent({ events }: RuleDraft, event: AlertEventName, isOn: boolean) {
  return new Set(ALERT_EVENTS.filter((one) => (one === event ? isOn : events.has(one))));
}

export type RuleProblems = Readonly<Record<'name' | 'target' | 'events', string | undefined>>;

export function ruleProblems({ name, target, channel, events }: RuleDraft, isNew: boolean): RuleProblems {
  const where = channel === 'email' ? 'Enter the email of a member.' : 'Enter a URL.';
  return {
    name: name.trim() === '' ? 'Enter a name.' : undefined,
    target: isNew && target.trim() === '' ? where : undefined,
    events: events.size === 0 ? 'Select at least one event.' : undefined,
  };
}

/** The body of `POST /alerts`. */
export function newRule({ channel, ...draft }: RuleDraft) {
  const [name, target, endpoint, agent] = trimmed(draft);
  return {
    name,
    channel,
    target,
    events: [...draft.events],
    ...(endpoint && { endpoint }),
    ...(agent && { agent }),
  };
}

/** The body of `PATCH /alerts/{id}`: an empty filter is removed, an empty target is kept. */
export function changedRule(draft: RuleDraft) {
  const [name, target, endpoint, agent] = trimmed(draft);
  return {
    name,
    events: [...draft.events],
    endpoint: endpoint || null,
    agent: agent || null,
    ...(target && { target }),
  };
}

function trimmed({ name, target, endpoint, agent }: Omit<RuleDraft, 'channel'>) {
  return [name.trim(), target.trim(), endpoint.trim(), agent.trim()] as const;
}
