import type { JsonObject } from '../reference/json-value.ts';
import type { Change } from './draft.ts';
import type { Graph } from './graph.ts';
import type { NodeRecord, Run, RunHead } from './state.ts';

/** A run that is held in memory: `take` brings it up to date. */
export interface RetainedRun extends Run {
  head: RunHead;
  readonly nodes: Map<string, NodeRecord>;
}

/** The state of a run that nothing has happened to. */
export function newRun(graph: Graph, input: JsonObject): RetainedRun {
  const nodes = [...graph.nodes.values()].map(({ id, parents }): NodeRecord => {
    return { id, state: 'queued', attempt: 0, undecided: parents, arrived: 0, arrivedFailed: 0 };
  });
  const head: RunHead = { state: 'queued', revision: 0, open: nodes.length, active: 0, waiting: 0 };
  return retainedRun({ input, head, nodes });
}

/** A run from what the store has of it. */
export function retainedRun(stored: {
  readonly input: JsonObject;
  readonly head: RunHead;
  readonly nodes: readonly NodeRecord[];
}): RetainedRun {
  return { ...stored, nodes: new Map(stored.nodes.map((record) => [record.id, record])) };
}

/** Brings a held run up to date, once the change is stored; its cost is that of the change. */
export function applyChange(run: RetainedRun, change: Change): void {
  run.head = change.head;
  for (const record of change.nodes) run.nodes.set(record.id, record);
}
