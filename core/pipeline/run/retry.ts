import { LIMITS } from '../../plan/limits.ts';
import type { Retry } from '../definition/pipeline.ts';
import type { StepOutcome } from './state.ts';

/**
 * What another try may change. A person's no is an answer, and so is an end that somebody asked for; a step that is lost may
 * still run, and would run twice.
 */
const RETRIED: readonly StepOutcome[] = ['failed', 'timed_out', 'rejected'];

/** How long to wait until the next try; undefined: there is none. `attempt` is the one that ended, from 1. */
export function retryDelayMs(
  retry: Retry | undefined,
  { outcome, attempt }: { readonly outcome: StepOutcome; readonly attempt: number },
): number | undefined {
  if (retry === undefined || attempt > retry.limit || !RETRIED.includes(outcome)) return undefined;
  return Math.min(retry.backoffSec * 2 ** (attempt - 1), LIMITS.maxBackoffSec) * 1_000;
}
