import { backoffMs } from '../../backoff.ts';
import { present } from '../../config/definition/present.ts';
import { LIMITS } from '../../plan/limits.ts';
import type { Retry } from '../definition/pipeline.ts';
import type { StepResult } from '../reference/resolve-reference.ts';
import type { RunDraft } from './draft.ts';
import type { StepEnded } from './event.ts';
import type { GraphStep } from './graph.ts';
import type { NodeRecord, StepOutcome } from './state.ts';
import { stopRun } from './stop-run.ts';

/** The end of one attempt of a step. */
export type StepEnding = Pick<
  StepEnded,
  'outcome' | 'exitCode' | 'output' | 'data' | 'error' | 'execution' | 'isFinal'
>;

/** Records the end of an attempt. The step is retried or done; a failure with `stop` ends the run. */
export function recordStepEnd(draft: RunDraft, node: GraphStep, ending: StepEnding): void {
  const { id } = node.step;
  const { attempt } = draft.node(id);
  const { outcome } = ending;
  const delayMs = retryDelayMs(node.step.retry, { outcome, attempt });
  const isOver = ending.isFinal ?? draft.head.stopping !== undefined;
  if (delayMs !== undefined && !isOver) {
    tryAgain(draft, id, { ending, retryAtMs: draft.atMs + delayMs });
    return;
  }
  draft.put({
    ...ended(draft.node(id), ending),
    state: stateAfter(outcome),
    result: kept(node, ending),
    endedAtMs: draft.atMs,
  });
  const stops = outcome !== 'succeeded' && node.step.onFailure === 'stop';
  if (stops && draft.head.stopping === undefined) stopRun(draft, 'failed', id);
}

function tryAgain(
  draft: RunDraft,
  id: string,
  { ending, retryAtMs }: { readonly ending: StepEnding; readonly retryAtMs: number },
): void {
  const record = draft.node(id);
  draft.put({ ...ended(record, ending), state: 'queued', retryAtMs });
  draft.actions.push({ kind: 'schedule_retry', step: id, attempt: record.attempt + 1, atMs: retryAtMs });
}

function ended(record: NodeRecord, { outcome, error }: StepEnding): NodeRecord {
  const { cancelling, error: _before, ...rest } = record;
  return { ...rest, outcome, ...present({ error }) };
}

function stateAfter(outcome: StepOutcome): 'succeeded' | 'failed' | 'cancelled' {
  return outcome === 'succeeded' || outcome === 'cancelled' ? outcome : 'failed';
}

function kept({ keeps }: GraphStep, { exitCode, output, data, execution }: StepEnding): StepResult {
  return present({
    exitCode,
    output: keeps.has('output') ? output : undefined,
    data: keeps.has('data') ? data : undefined,
    execution: keeps.has('artifacts') ? execution : undefined,
  });
}

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
