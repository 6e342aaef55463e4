import { present } from '../../config/definition/present.ts';
import type { StepResult } from '../reference/resolve-reference.ts';
import type { RunDraft } from './draft.ts';
import type { StepEnded } from './event.ts';
import type { GraphStep } from './graph.ts';
import { retryDelayMs } from './retry.ts';
import type { NodeRecord, StepOutcome } from './state.ts';
import { stopRun } from './stop-run.ts';

/** The end of one attempt of a step. */
export type StepEnding = Pick<StepEnded, 'outcome' | 'exitCode' | 'output' | 'data' | 'error' | 'isFinal'>;

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

function kept({ keeps }: GraphStep, { exitCode, output, data }: StepEnding): StepResult {
  return present({
    exitCode,
    output: keeps.has('output') ? output : undefined,
    data: keeps.has('data') ? data : undefined,
  });
}
