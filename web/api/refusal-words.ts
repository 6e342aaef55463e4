import { ApiError } from '@svc/core/api/client/api-error';
import { Unreachable } from './client.ts';

/** What went wrong, in the words of the page: what happened, and what to do. */
export interface ProblemWords {
  readonly title: string;
  readonly advice: string | undefined;
}

/** What a refusal means beyond what the hub says of it: where to go on. */
const ADVICE: Readonly<Record<string, string>> = {
  forbidden: 'Ask the owner or an admin of the workspace.',
  rate_limited: 'Wait a moment and try again.',
  quota_exceeded: 'The month’s executions are used up; Usage shows the plan.',
  plan_limit: 'The plan allows no more; Usage shows it.',
  seat_limit_reached: 'The plan has no seat left; Usage shows it.',
  agent_offline: 'Start the agent on its machine, and try again.',
  agent_refused: 'The agent runs only what is in its own file.',
  version_conflict: 'Somebody changed it meanwhile: look at it again, then change it.',
  precondition_failed: 'Somebody changed it meanwhile: look at it again, then change it.',
  managed_by_config: 'Change it in the file on the machine of its agent.',
  secret_not_set: 'Set the secret under Secrets, and try again.',
  unavailable: 'The hub cannot store anything just now. Try again in a moment.',
};

export function problemWords(error: unknown): ProblemWords {
  if (error instanceof Unreachable)
    return {
      title: 'The hub cannot be reached',
      advice: 'Nothing is known of what became of it. The page goes on by itself when the hub is back.',
    };
  if (error instanceof ApiError) return { title: sentence(error.message), advice: ADVICE[error.code] };
  return { title: sentence(error instanceof Error ? error.message : String(error)), advice: undefined };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
