import type { Edge } from '../definition/pipeline.ts';
import { TRIGGER_ID } from '../definition/pipeline.ts';
import { isTrue } from '../expression/evaluate.ts';
import type { RunDraft } from './draft.ts';
import { recordStepEnd } from './end-step.ts';
import type { GraphNode, GraphStep } from './graph.ts';
import { callOf } from './start-step.ts';
import { isDone, type NodeRecord } from './state.ts';

/**
 * Continues the run over the edges that leave finished nodes, until every remaining node has to wait (decision 41, pipeline
 * runs).
 *
 * Each edge is walked once per run, so the events of a run together cost no more than the size of its graph. It uses a list
 * instead of recursion, because a thousand conditions may follow each other.
 */
export function followEdges(draft: RunDraft, edges: readonly Edge[]): void {
  const open = [...edges];
  for (const edge of open) {
    if (!arrive(draft, edge)) continue;
    decide(draft, nodeOf(draft, edge.to));
    if (draft.head.stopping !== undefined) return;
    if (isDone(draft.node(edge.to))) open.push(...draft.graph.edgesFrom(edge.to));
  }
}

/** Whether this was the last edge that the node waited for. */
function arrive(draft: RunDraft, edge: Edge): boolean {
  const before = draft.node(edge.to);
  const undecided = before.undecided - 1;
  const outcome = edgeOutcome(draft, edge);
  const arrived = before.arrived + Number(outcome !== 'nothing');
  const arrivedFailed = before.arrivedFailed + Number(outcome === 'failure');
  draft.put({ ...before, undecided, arrived, arrivedFailed });
  return undecided === 0;
}

function edgeOutcome(draft: RunDraft, { from, when = true }: Edge): 'run' | 'failure' | 'nothing' {
  if (from === TRIGGER_ID) return 'run';
  const { state, holds: answer } = draft.node(from);
  if (state === 'skipped') return 'nothing';
  if (state !== 'succeeded') return 'failure';
  return answer === undefined || answer === when ? 'run' : 'nothing';
}

function decide(draft: RunDraft, node: GraphNode): void {
  const record = draft.node(node.id);
  if (!isToRun(node, record)) draft.put({ ...record, state: 'skipped' });
  else if (node.kind === 'condition')
    draft.put({ ...record, state: 'succeeded', holds: isTrue(node.expression, draft.scope()) });
  else if (record.carried !== undefined)
    draft.put({ ...record, state: 'succeeded', outcome: 'succeeded', result: record.carried });
  else startStep(draft, node, 1);
}

/**
 * A node with several parents runs if no parent failed and at least one ran. `continue` is for nodes that depend only on
 * the failed step.
 */
function isToRun({ parents }: GraphNode, { arrived, arrivedFailed }: NodeRecord): boolean {
  return arrived > 0 && (parents === 1 || arrivedFailed === 0);
}

/** Orders an attempt of a step. */
export function startStep(draft: RunDraft, node: GraphStep, attempt: number): void {
  const { retryAtMs, ...record } = draft.node(node.step.id);
  const call = callOf(node, attempt, draft.scope());
  draft.put({ ...record, state: 'queued', attempt });
  if (call.kind === 'problem')
    recordStepEnd(draft, node, { outcome: 'rejected', error: call.error, isFinal: true });
  else draft.actions.push(call);
}

function nodeOf(draft: RunDraft, id: string): GraphNode {
  const node = draft.graph.nodes.get(id);
  if (node === undefined) throw new Error(`the pipeline has no node "${id}"`);
  return node;
}
