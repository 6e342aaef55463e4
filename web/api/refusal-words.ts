import { ApiError } from '@svc/core/api/client/api-error';
import { Unreachable } from './client.ts';

/** An error for people: what happened, and what to do. */
export interface ProblemWords {
  readonly title: string;
  readonly advice: string | undefined;
}

/** The remedy of a refusal, by its code; the hub's message names the problem. */
const ADVICE: Readonly<Record<string, string>> = {
  forbidden: 'Ask the owner or an admin of the workspace.',
  second_factor_required: 'Switch your second factor on in Settings.',
  rate_limited: 'Wait a moment and try again.',
  quota_exceeded: 'The monthly quota is used up. See Usage for your plan.',
  plan_limit: 'Your plan allows no more. See Usage for your plan.',
  seat_limit_reached: 'Your plan has no free seat. See Usage for your plan.',
  agent_offline: 'Start the agent on its machine and try again.',
  agent_refused: 'The agent runs only the commands in its svc.yaml (--local-only).',
  version_conflict: 'Someone else saved a change. Reload the page and make your change again.',
  precondition_failed: 'Someone else saved a change. Reload the page and make your change again.',
  managed_by_config: "Make the change in the agent's svc.yaml.",
  secret_not_set: 'Set the secret under Secrets and try again.',
  unavailable: 'The hub cannot store data right now. Try again in a moment.',
};

export function problemWords(error: unknown): ProblemWords {
  if (error instanceof Unreachable)
    return {
      title: 'The hub cannot be reached',
      advice: 'Your last action may or may not have taken effect. The page reconnects when the hub is back.',
    };
  if (error instanceof ApiError) return { title: sentence(error.message), advice: ADVICE[error.code] };
  return { title: sentence(error instanceof Error ? error.message : String(error)), advice: undefined };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
