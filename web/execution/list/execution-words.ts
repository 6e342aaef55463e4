import type { WireExecution } from '../wire-execution.ts';

/** The label of each trigger. */
export const TRIGGER_WORDS: Readonly<Record<WireExecution['trigger'], string>> = {
  call: 'Call',
  dashboard: 'Dashboard',
  schedule: 'Schedule',
  pipeline: 'Pipeline',
  mcp: 'AI agent',
  choices: 'List of choices',
};

/** Why an execution has no result, in one line; undefined if it has one or may still get one. */
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
  denied: 'denied',
  expired: 'not approved in time',
  lost: 'outcome unknown: the agent went offline',
};

const REASON_WORDS: Readonly<Record<NonNullable<WireExecution['reason']>, string>> = {
  agent_offline: 'agent offline',
  quota: 'monthly quota used up',
  stale: 'endpoint changed after the request',
  refused: 'refused by the agent',
  hub_restart: 'hub restarted before the start',
  hub_down: 'hub was down',
  overlap: 'concurrency limit reached',
};
