import type { NodeRecord, RunHead } from '@svc/core/pipeline/run/state';
import { hasRunEnded } from '@svc/core/pipeline/run/state';
import type { StepExecution } from '../../executions/execution-ports.ts';
import type { ChangeWaiters, NextChange } from '../../executions/live/change-waiters.ts';
import type { PipelineRuns } from './store/run-store.ts';

/** Up to this number of steps are read one by one; beyond it, one query reads all steps of the run. */
const FEW = 8;

/** An update of a run. It may combine several changes. */
export interface RunLiveEvent {
  readonly head: RunHead;
  /** The nodes that changed since the previous update; the first update has all nodes. */
  readonly nodes: readonly NodeRecord[];
  /** New executions of its steps since the previous update, each once. `followExecution` reads their output. */
  readonly begun: readonly StepExecution[];
}

/** Ends after the update with the run's end; or without it when it was stopped or the run was removed. */
export interface RunFollowing<LiveEvent> extends AsyncIterable<LiveEvent> {
  /** Called when the reader has disconnected. */
  stop(): void;
}

type FollowDeps = { readonly runs: PipelineRuns } & { readonly changes: ChangeWaiters };

/**
 * Follows a run of any hub. It reads the store at each published change, and once a second, because
 * changes of other hubs are not published here.
 */
export function followRun(deps: FollowDeps, runId: string): RunFollowing<RunLiveEvent> {
  const attempts = new Map<string, number>();
  let seen: number | undefined;
  return following(deps, runId, async (head) => {
    const nodes = await deps.runs.nodes(runId, seen);
    seen = head.revision;
    return { head, nodes, begun: await begunSince(deps.runs, runId, nodes, attempts) };
  });
}

/** Follows only the state of a run. */
export function followHead(deps: FollowDeps, runId: string): RunFollowing<RunHead> {
  return following(deps, runId, (head) => Promise.resolve(head));
}

function following<LiveEvent>(
  { runs, changes }: FollowDeps,
  runId: string,
  liveEventOf: (head: RunHead) => Promise<LiveEvent>,
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
        // Subscribes before it reads the store, so that no change is missed in between.
        change = changes.next(runId);
        const head = await runs.head(runId);
        if (head === undefined) return change.wake();
        if (head.revision !== seen) {
          seen = head.revision;
          yield await liveEventOf(head);
        }
        if (hasRunEnded(head)) return change.wake();
        await change.happened;
      }
    },
  };
}

/** The executions of the ordered attempts. A rejected attempt has none. */
async function begunSince(
  runs: FollowDeps['runs'],
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
