import type { WireExecution } from '../wire-execution.ts';

/** What set an execution off. */
export const TRIGGER_WORDS: Readonly<Record<WireExecution['trigger'], string>> = {
  call: 'by a call',
  dashboard: 'from the dashboard',
  schedule: 'by its schedule',
  pipeline: 'in a pipeline',
};

/** Why there is no result, in one line; undefined when there is one, or may yet be. */
export function whyWords({
  status,
  reason,
  error,
}: Pick<WireExecution, 'status' | 'reason' | 'error'>): string | undefined {
  if (reason !== undefined) return REASON_WORDS[reason];
  if (error !== undefined) return error.split('\n', 1)[0];
  return WORDS[status];
}

const WORDS: Readonly<Partial<Record<WireExecution['status'], string>>> = {
  denied: 'somebody said no',
  expired: 'nobody decided in time',
  lost: 'its agent went away, and it is not known what became of it',
};

const REASON_WORDS: Readonly<Record<NonNullable<WireExecution['reason']>, string>> = {
  agent_offline: 'no agent was connected',
  quota: 'the month’s executions were used up',
  stale: 'the endpoint had changed since it was asked for',
  refused: 'its agent refused it',
  hub_restart: 'the hub restarted before it began',
  hub_down: 'the hub was down at that minute',
  overlap: 'as many as may run at once were running',
};
