import { type Change, isActive, RunDraft } from './draft.ts';
import { recordStepEnd } from './end-step.ts';
import type { RunEvent } from './event.ts';
import { followEdges, startStep } from './follow-edges.ts';
import { firstEdges, type Graph, type GraphStep } from './graph.ts';
import { hasRunEnded, isDone, type NodeRecord, type Run } from './state.ts';
import { stopRun } from './stop-run.ts';

type StepEvent = Exclude<RunEvent, { kind: 'started' | 'cancel_asked' }>;

/**
 * The change of a run after an event. Undefined if nothing changes, because the event is late, repeated, or about an
 * earlier attempt (decision 41, pipeline runs).
 *
 * Pure: the change and its actions follow only from the run and the event. The graph must be that of the version with which
 * the run began.
 */
export function advance(graph: Graph, run: Run, event: RunEvent): Change | undefined {
  if (hasRunEnded(run.head)) return undefined;
  const draft = new RunDraft(graph, run, event.atMs);
  return apply(draft, event) ? draft.finished() : undefined;
}

function apply(draft: RunDraft, event: RunEvent): boolean {
  switch (event.kind) {
    case 'started':
      if (draft.head.state !== 'queued') return false;
      followEdges(draft, firstEdges(draft.graph));
      return true;
    case 'cancel_asked':
      if (draft.head.stopping !== undefined) return false;
      stopRun(draft, 'cancelled');
      return true;
    default:
      return applyToStep(draft, event);
  }
}

function applyToStep(draft: RunDraft, event: StepEvent): boolean {
  const node = draft.graph.nodes.get(event.step);
  if (node?.kind !== 'step') return false;
  const record = draft.node(node.id);
  if (!isCurrent(record, event)) return false;
  switch (event.kind) {
    case 'step_waiting':
      draft.put({ ...record, state: 'waiting_approval' });
      return true;
    case 'step_started':
      draft.put({ ...record, state: 'running', startedAtMs: record.startedAtMs ?? event.atMs });
      return true;
    case 'retry_due':
      startStep(draft, node, event.attempt);
      return goOnAfter(draft, node);
    case 'step_ended':
      recordStepEnd(draft, node, event);
      return goOnAfter(draft, node);
  }
}

/** Whether the event is about the current attempt and new. */
function isCurrent(record: NodeRecord, event: StepEvent): boolean {
  if (!isActive(record)) return false;
  const { state, attempt, retryAtMs } = record;
  if (event.kind === 'retry_due')
    return retryAtMs !== undefined && event.atMs >= retryAtMs && event.attempt === attempt + 1;
  if (retryAtMs !== undefined || event.attempt !== attempt) return false;
  if (event.kind === 'step_waiting') return state === 'queued';
  return event.kind === 'step_ended' || state !== 'running';
}

/** A run that is stopping starts nothing more, whatever its last steps report. */
function goOnAfter(draft: RunDraft, { step: { id } }: GraphStep): true {
  if (draft.head.stopping === undefined && isDone(draft.node(id)))
    followEdges(draft, draft.graph.edgesFrom(id));
  return true;
}
