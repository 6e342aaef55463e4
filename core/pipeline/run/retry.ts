import { backoffMs } from '../../backoff.ts';
import { LIMITS } from '../../plan/limits.ts';
import type { Retry } from '../definition/pipeline.ts';
import type { StepOutcome } from './state.ts';

/**
 * The outcomes that a retry may change. A denial and a cancel are final decisions. A lost step may still run, so a retry
 * could run it twice.
 */
const RETRIED: readonly StepOutcome[] = ['failed', 'timed_out', 'rejected'];

/** The wait before the next attempt; undefined: there is none. `attempt` is the ended one, from 1. */
export function retryDelayMs(
  retry: Retry | undefined,
  { outcome, attempt }: { readonly outcome: StepOutcome; readonly attempt: number },
): number | undefined {
  if (retry === undefined || attempt > retry.limit || !RETRIED.includes(outcome)) return undefined;
  const range = { firstMs: retry.backoffSec * 1_000, longestMs: LIMITS.maxBackoffSec * 1_000 };
  return backoffMs(range, attempt - 1);
}
