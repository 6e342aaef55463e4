import type { AlertEventName } from '@svc/core/alert/event';
import type { Item } from '../api/read.ts';

export const CHANNEL_WORDS: Readonly<Record<Item<'listAlerts'>['channel'], string>> = {
  webhook: 'Webhook',
  slack: 'Slack-compatible webhook',
  email: 'Email to',
};

/** The label of each event. */
export const EVENT_WORDS: Readonly<Record<AlertEventName, string>> = {
  'approval.pending': 'Approval requested',
  'approval.decided': 'Approval decided',
  'approval.expired': 'Approval expired',
  'execution.failed': 'Execution failed',
  'execution.timed_out': 'Execution timed out',
  'execution.lost': 'Execution lost',
  'execution.succeeded': 'Execution succeeded',
  'execution.recovered': 'Endpoint recovered after a failure',
  no_success_since: 'No success for too long',
  'schedule.missed': 'Scheduled run missed',
  'agent.offline': 'Agent offline',
  'agent.online': 'Agent online',
  'agent.journal_damaged': 'Agent journal damaged',
  'quota.80': '80 % of quota used',
  'quota.100': 'Quota used up',
  'pipeline.failed': 'Pipeline run failed',
  'pipeline.succeeded': 'Pipeline run succeeded',
  'hub.store_damaged': 'Hub database damaged (operators only)',
};
