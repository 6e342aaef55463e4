import { ALERT_EVENTS, type AlertEventName } from '@svc/core/alert/event';
import { NO_SUCCESS_MINS } from '@svc/core/alert/no-success';
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
  /** Minutes, as typed. */
  readonly noSuccessMins: string;
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
    noSuccessMins: rule?.no_success_mins?.toString() ?? '',
  };
}

/** The events with one added or removed, in the order of `ALERT_EVENTS`. */
export function eventsWith({ events }: RuleDraft, event: AlertEventName, isOn: boolean) {
  return new Set(ALERT_EVENTS.filter((one) => (one === event ? isOn : events.has(one))));
}

export type RuleProblems = Readonly<
  Record<'name' | 'target' | 'events' | 'endpoint' | 'noSuccessMins', string | undefined>
>;

export function ruleProblems(draft: RuleDraft, isNew: boolean): RuleProblems {
  const { name, target, channel, events, endpoint } = draft;
  const waits = waitsForSuccess(draft);
  const where = channel === 'email' ? 'Enter the email of a member.' : 'Enter a URL.';
  return {
    name: name.trim() === '' ? 'Enter a name.' : undefined,
    target: isNew && target.trim() === '' ? where : undefined,
    events: events.size === 0 ? 'Select at least one event.' : undefined,
    endpoint:
      waits && endpoint.trim() === '' ? 'Enter the endpoint or pipeline that must succeed.' : undefined,
    noSuccessMins: waits ? minutesProblem(draft.noSuccessMins) : undefined,
  };
}

/** Whether the rule waits for a success, and so needs an endpoint and a time. */
export function waitsForSuccess({ events }: RuleDraft): boolean {
  return events.has('no_success_since');
}

function minutesProblem(text: string): string | undefined {
  const { min, max } = NO_SUCCESS_MINS;
  const minutes = Number(text);
  return Number.isInteger(minutes) && minutes >= min && minutes <= max
    ? undefined
    : `Enter whole minutes from ${min} to ${max}.`;
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
    ...(draft.events.has('no_success_since') && { no_success_mins: Number(draft.noSuccessMins) }),
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
    no_success_mins: waitsForSuccess(draft) ? Number(draft.noSuccessMins) : null,
    ...(target && { target }),
  };
}

function trimmed({ name, target, endpoint, agent }: Omit<RuleDraft, 'channel'>) {
  return [name.trim(), target.trim(), endpoint.trim(), agent.trim()] as const;
}
