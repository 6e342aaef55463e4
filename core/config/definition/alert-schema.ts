import { z } from 'zod';
import { DECLARED_TARGET, keyOfAlert, secretInTarget } from '../../alert/declared-alert.ts';
import { ENDPOINT_EVENTS } from '../../alert/event.ts';
import { NO_SUCCESS_MINS } from '../../alert/no-success.ts';
import { atKey, atValue, type Path, type ValidationIssue } from '../validation-issue.ts';
import { listOf, oneOfSchema, pattern, textSchema, wholeNumberSchema } from './schema-parts.ts';

/** One item of `alerts`. */
export const alertSchema = z.strictObject(
  {
    name: textSchema()
      .max(64, { error: 'at most 64 characters' })
      .optional()
      .describe('A name for people, once per endpoint. Default: its number.'),
    events: listOf(oneOfSchema(ENDPOINT_EVENTS), 'events')
      .min(1, { error: 'at least one event' })
      .describe('The events that are sent (see [Alerts](../guides/alerts.md#events)).'),
    target: pattern(
      DECLARED_TARGET,
      'the e-mail address of a member, or $svc:NAME for a secret that holds a URL,',
    ).describe('The e-mail address of a member, or `$svc:NAME`: a managed secret that holds the URL.'),
    channel: oneOfSchema(['webhook', 'slack'])
      .optional()
      .describe('The format for a URL: a signed `webhook`, the default, or a message for `slack`.'),
    no_success_mins: wholeNumberSchema(NO_SUCCESS_MINS.min, NO_SUCCESS_MINS.max, 'whole minutes')
      .optional()
      .describe('For `no_success_since`: the minutes without a success.'),
  },
  { error: 'an alert with events and a target' },
);

export type AlertDefinition = z.output<typeof alertSchema>;

/** What the shape of alerts does not show. Alerts of a wrong shape are skipped. */
export function alertIssues(list: unknown, path: Path): ValidationIssue[] {
  if (!Array.isArray(list)) return [];
  const seen = new Set<string>();
  return list.flatMap((item: unknown, index) => {
    const { data: alert } = alertSchema.safeParse(item);
    if (alert === undefined) return [];
    const key = keyOfAlert(alert, index);
    const isTwice = seen.has(key);
    seen.add(key);
    const at = [...path, index];
    const twice = `alert "${key}" is declared twice in this endpoint`;
    return [...(isTwice ? [atValue([...at, 'name'], twice)] : []), ...issuesOfAlert(alert, at)];
  });
}

/** What the shape of one alert does not show. */
export function issuesOfAlert(
  { events, target, channel, no_success_mins: minutes }: AlertDefinition,
  at: Path,
) {
  const waits = events.includes('no_success_since');
  const issues: [boolean, string, string][] = [
    [waits && minutes === undefined, 'events', 'no_success_since needs no_success_mins'],
    [
      !waits && minutes !== undefined,
      'no_success_mins',
      'no_success_mins belongs to the event no_success_since',
    ],
    [
      channel !== undefined && secretInTarget(target) === undefined,
      'channel',
      'channel belongs to the URL in a secret, not to an e-mail address',
    ],
  ];
  return issues.flatMap(([isWrong, key, message]) => (isWrong ? [atKey([...at, key], message)] : []));
}
