import type { AlertEventName } from '@svc/core/alert/event';
import type { Item } from '../api/read.ts';

export const CHANNEL_WORDS: Readonly<Record<Item<'listAlerts'>['channel'], string>> = {
  webhook: 'webhook at',
  slack: 'chat at',
  email: 'mail to',
};

/** What each event means to people. */
export const EVENT_WORDS: Readonly<Record<AlertEventName, string>> = {
  'approval.pending': 'A call waits for approval',
  'approval.decided': 'A call was approved or denied',
  'approval.expired': 'A call expired with nobody deciding',
  'execution.failed': 'A command failed',
  'execution.timed_out': 'A command took too long',
  'execution.lost': 'An execution was lost with its agent',
  'schedule.missed': 'A schedule did not start',
  'agent.offline': 'An agent went away',
  'agent.online': 'An agent is back',
  'agent.journal_damaged': 'An agent lost its journal',
  'quota.80': '80 % of the month is used up',
  'quota.100': 'The month is used up',
  'pipeline.failed': 'A pipeline run failed',
  'pipeline.succeeded': 'A pipeline run succeeded',
  'hub.store_damaged': 'The store of the hub is damaged (for operators)',
};
