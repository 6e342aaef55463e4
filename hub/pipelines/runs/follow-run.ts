import type { NodeRecord, RunHead } from '@svc/core/pipeline/run/state';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import type { StepExecution } from '../../executions/execution-ports.ts';
import type { NextChange, StateChanges } from '../../executions/live/state-changes.ts';
import type { PipelineRuns } from './store/run-store.ts';

/** So many steps are asked for one by one; of more, all of the run are read at once. */
const FEW = 8;

/** What is new of a run: several changes may come as one. */
export interface RunLiveEvent {
  readonly head: RunHead;
  /** Those that are not as they were in the news before; the first news has all. */
  readonly nodes: readonly NodeRecord[];
  /** Executions of its steps that have been put on record since, running or not, each once: `followExecution` has their output. */
  readonly begun: readonly StepExecution[];
}

/** Ends after the news of the run's end; without it when it was stopped, or the run is kept no longer. */
export interface RunFollowing<LiveEvent> extends AsyncIterable<LiveEvent> {
  /** To be called when nobody reads any more. */
  stop(): void;
}

type FollowPorts = { readonly runs: PipelineRuns } & { readonly changes: StateChanges };

/**
 * A run from now on, whichever hub has it. The store is asked for what is new whenever a change is heard of, and once a second:
 * a hub does not hear of the changes that another makes.
 */
export function followRun(ports: FollowPorts, runId: string): RunFollowing<RunLiveEvent> {
  const attempts = new Map<string, number>();
  let seen: number | undefined;
  return following(ports, runId, async (head) => {
    const nodes = await ports.runs.nodes(runId, seen);
    seen = head.revision;
    return { head, nodes, begun: await begunSince(ports.runs, runId, nodes, attempts) };
  });
}

/** The same for whoever wants to know only how it stands. */
export function followHead(ports: FollowPorts, runId: string): RunFollowing<RunHead> {
  return following(ports, runId, (head) => Promise.resolve(head));
}

function following<LiveEvent>(
  { runs, changes }: FollowPorts,
  runId: string,
  newsOf: (head: RunHead) => Promise<LiveEvent>,
): RunFollowing<LiveEvent> {
  let isStopped = false;
  let change: NextChange | undefined;
  return {
    stop() {
      isStopped = true;
      change?.wake();
    },
    async *[Symbol.asyncIterator]() {
      for (let seen: number | undefined; !isStopped; ) {
        // Asked for before the look at the store, so that no change falls between the two.
        change = changes.next(runId);
        const head = await runs.head(runId);
        if (head === undefined) return change.wake();
        if (head.revision !== seen) {
          seen = head.revision;
          yield await newsOf(head);
        }
        if (hasRunEnded(head)) return change.wake();
        await change.happened;
      }
    },
  };
}

/** One execution for each attempt that was ordered and has one: what was rejected before has none. */
async function begunSince(
  runs: FollowPorts['runs'],
  runId: string,
  nodes: readonly NodeRecord[],
  attempts: Map<string, number>,
): Promise<StepExecution[]> {
  const ordered = nodes.filter(({ id, attempt }) => attempt > (attempts.get(id) ?? 0));
  const found =
    ordered.length > FEW
      ? await runs.executions(runId)
      : (await Promise.all(ordered.map(({ id }) => runs.executions(runId, id)))).flat();
  const begun = found.filter(({ step }) => step.attempt > (attempts.get(step.id) ?? 0));
  for (const { step } of begun) attempts.set(step.id, Math.max(step.attempt, attempts.get(step.id) ?? 0));
  return begun;
}
