import type { Graph } from './graph.ts';
import { newRun, type RetainedRun } from './new-run.ts';
import { hasRunEnded, type Run } from './state.ts';

/**
 * A new run of the same version with the same input that skips the steps that succeeded. Their results are carried over and
 * used when their turn comes.
 *
 * The new run repeats every step that did not succeed, the steps in `from`, and all steps behind one of them. Conditions
 * are evaluated again. The old run must have ended.
 */
export function runAgain(graph: Graph, old: Run, from: readonly string[] = []): RetainedRun {
  if (!hasRunEnded(old.head)) throw new Error(`a run that is ${old.head.state} cannot be run again`);
  const again = afterAny(graph, [...from, ...unsuccessful(old)]);
  const run = newRun(graph, old.input);
  for (const record of run.nodes.values()) {
    const { state, result } = old.nodes.get(record.id) ?? {};
    const isCarried = state === 'succeeded' && result !== undefined && !again.has(record.id);
    if (isCarried) run.nodes.set(record.id, { ...record, carried: result });
  }
  return run;
}

function unsuccessful({ nodes }: Run): string[] {
  return [...nodes.values()]
    .filter(({ state }) => state === 'failed' || state === 'cancelled')
    .map(({ id }) => id);
}

/** The nodes and all nodes behind one of them. */
function afterAny(graph: Graph, ids: readonly string[]): ReadonlySet<string> {
  const after = new Set(ids);
  for (const id of after) for (const { to } of graph.edgesFrom(id)) after.add(to);
  return after;
}
