import type { AnyEventName } from './event.ts';
import type { PayloadData } from './payload.ts';

/** An event in words for people. Values are not escaped; the formatter escapes them. */
export interface AlertWords {
  /** The title, without values. */
  readonly title: string;
  readonly facts: readonly (readonly [label: string, value: string])[];
  /** The label of the link, if there is one. */
  readonly action: string;
}

const TITLES = {
  'approval.pending': 'An approval is waiting',
  'approval.decided': 'An approval was decided',
  'approval.expired': 'An approval has expired',
  'execution.failed': 'An execution has failed',
  'execution.timed_out': 'An execution has timed out',
  'execution.lost': 'An execution is lost',
  'execution.succeeded': 'An execution has succeeded',
  'execution.recovered': 'An endpoint works again',
  'execution.finished': 'An execution has ended',
  no_success_since: 'There has been no success for too long',
  success_resumed: 'There is a success again',
  'schedule.missed': 'A scheduled run was missed',
  'agent.offline': 'An agent is offline',
  'agent.online': 'An agent is online',
  'agent.journal_damaged': 'The journal of an agent was damaged',
  'quota.80': '80 % of the monthly executions are used',
  'quota.100': 'The monthly executions are used up',
  'pipeline.failed': 'A pipeline run has failed',
  'pipeline.succeeded': 'A pipeline run has succeeded',
  'hub.store_damaged': 'The store of the hub is damaged',
  test: 'A test: this alert rule works',
} as const satisfies Record<AnyEventName, string>;

type AnyField = { [Name in AnyEventName]: keyof PayloadData<Name> }[AnyEventName];

/** The facts in reading order; other data is for programs. */
const LABELS: readonly (readonly [field: AnyField, label: string])[] = [
  ['rule', 'Rule'],
  ['hub', 'Hub'],
  ['endpoint', 'Endpoint'],
  ['pipeline', 'Pipeline'],
  ['command', 'Command'],
  ['agent', 'Agent'],
  ['no_success_mins', 'Minutes allowed'],
  ['since', 'Since'],
  ['succeeded_at', 'Succeeded'],
  ['requested_by', 'Requested by'],
  ['decision', 'Decision'],
  ['decided_by', 'By'],
  ['comment', 'Comment'],
  ['expires_at', 'Expires'],
  ['scheduled_for', 'Scheduled for'],
  ['count', 'Fires'],
  ['failed_step', 'Step'],
  ['reason', 'Reason'],
  ['exit_code', 'Exit code'],
  ['error', 'Error'],
  ['period', 'Month'],
  ['used', 'Used'],
  ['limit', 'Limit'],
  ['resets_at', 'Resets'],
  ['execution_id', 'Execution'],
  ['run_id', 'Run'],
];

/** The lines of output that people get; programs get more. */
const MAX_LINES = 10;

/** The words for an event. */
export function wordsOf(name: AnyEventName, data: Readonly<Record<string, unknown>>): AlertWords {
  const facts = LABELS.flatMap(([field, label]): [string, string][] => {
    const value = data[field];
    return typeof value === 'string' || typeof value === 'number' ? [[label, `${value}`]] : [];
  });
  const lines = Array.isArray(data.last_lines) ? data.last_lines.slice(-MAX_LINES) : [];
  facts.push(...lines.map((line): [string, string] => ['Output', String(line)]));
  return { title: TITLES[name], facts, action: name === 'approval.pending' ? 'Look and decide' : 'Open' };
}
