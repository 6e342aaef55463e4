import { ALERT_EVENTS, type AlertEventName } from '@svc/core/alert/event';
import type { Item } from '../api/read.ts';

type Rule = Item<'listAlerts'>;

/** A rule while somebody writes it. */
export interface RuleDraft {
  readonly name: string;
  readonly channel: Rule['channel'];
  readonly target: string;
  readonly events: ReadonlySet<AlertEventName>;
  readonly endpoint: string;
  readonly agent: string;
}

/** @param rule the one that is changed; its target is never shown whole, so it is left empty */
export function draftOf(rule: Rule | undefined): RuleDraft {
  return {
    name: rule?.name ?? '',
    channel: rule?.channel ?? 'webhook',
    target: '',
    events: new Set(rule?.events),
    endpoint: rule?.endpoint ?? '',
    agent: rule?.agent ?? '',
  };
}

/** The same with one event more or less, in the order in which they are listed. */
export function withEvent({ events }: RuleDraft, event: AlertEventName, isOn: boolean) {
  return new Set(ALERT_EVENTS.filter((one) => (one === event ? isOn : events.has(one))));
}

export type DraftProblems = Readonly<Record<'name' | 'target' | 'events', string | undefined>>;

export function draftProblems({ name, target, channel, events }: RuleDraft, isNew: boolean): DraftProblems {
  const where = channel === 'email' ? 'The e-mail of a member expected.' : 'A URL expected.';
  return {
    name: name.trim() === '' ? 'A name expected.' : undefined,
    target: isNew && target.trim() === '' ? where : undefined,
    events: events.size === 0 ? 'At least one event expected.' : undefined,
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

/** The body of `PATCH /alerts/{id}`: a filter that is empty is taken away, a target that is empty stays. */
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
