import type { RunAction } from './action.ts';
import { isActive } from './draft.ts';
import type { Graph } from './graph.ts';
import { callOf } from './start-step.ts';
import type { NodeRecord, Run } from './state.ts';

/**
 * The actions of a run that may not have been done before a restart: all stored actions without a recorded effect.
 *
 * The restarting hub does them, and subscribes again to running executions and pending approvals.
 */
export function pendingActions(graph: Graph, run: Run): RunAction[] {
  const { state } = run.head;
  if (state === 'succeeded' || state === 'failed' || state === 'cancelled')
    return [{ kind: 'end_run', state }];
  return [...run.nodes.values()].filter(isActive).flatMap((record) => pendingActionsOf(graph, run, record));
}

function pendingActionsOf(
  graph: Graph,
  run: Run,
  { id, attempt, state, retryAtMs, cancelling }: NodeRecord,
): RunAction[] {
  if (cancelling) return [{ kind: 'cancel_step', step: id, attempt }];
  if (retryAtMs !== undefined)
    return [{ kind: 'schedule_retry', step: id, attempt: attempt + 1, atMs: retryAtMs }];
  const node = graph.nodes.get(id);
  if (state !== 'queued' || node?.kind !== 'step') return [];
  const scope = { input: run.input, resultOf: (step: string) => run.nodes.get(step)?.result };
  const call = callOf(node, attempt, scope);
  return call.kind === 'start_step' ? [call] : [];
}
