import type { JsonObject } from '../reference/json-value.ts';
import type { Change } from './draft.ts';
import type { Graph } from './graph.ts';
import type { NodeRecord, Run, RunHead } from './state.ts';

/** A run in memory; `take` applies a stored change. */
export interface RetainedRun extends Run {
  head: RunHead;
  readonly nodes: Map<string, NodeRecord>;
}

/** The state of a new run. */
export function newRun(graph: Graph, input: JsonObject): RetainedRun {
  const nodes = [...graph.nodes.values()].map(({ id, parents }): NodeRecord => {
    return { id, state: 'queued', attempt: 0, undecided: parents, arrived: 0, arrivedFailed: 0 };
  });
  const head: RunHead = { state: 'queued', revision: 0, open: nodes.length, active: 0, waiting: 0 };
  return retainedRun({ input, head, nodes });
}

/** The run from its stored rows. */
export function retainedRun(stored: {
  readonly input: JsonObject;
  readonly head: RunHead;
  readonly nodes: readonly NodeRecord[];
}): RetainedRun {
  return { ...stored, nodes: new Map(stored.nodes.map((record) => [record.id, record])) };
}

/** Applies a stored change to a run in memory. The cost depends only on the change. */
export function applyRunChange(run: RetainedRun, change: Change): void {
  run.head = change.head;
  for (const record of change.nodes) run.nodes.set(record.id, record);
}
