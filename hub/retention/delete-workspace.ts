import { refuseFields } from '@svc/core/api/field-problem';
import type { AuditSource } from '@svc/core/audit/entry';
import { lostBecause } from '@svc/core/execution/outcome';
import { refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import { cancelExecution } from '../approvals/cancel-execution.ts';
import { cancelRun } from '../pipelines/runs/cancel-run.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { Clock } from '../platform/world.ts';
import type { DeletedWorkspace } from '../workspaces/workspace-ports.ts';
import type { WorkspaceRemoval } from './store/workspace-removal.ts';

/** The time that commands get to end after a cancellation: SIGTERM, 5 s, SIGKILL (decision 18, time-out and cancel). */
const GRACE_MS = 10_000;
/** After this time an unfinished execution of another hub counts as left by a dead hub. */
const OTHERS_MS = 120_000;

type RemovalDeps = {
  readonly workspaceRemoval: WorkspaceRemoval;
  readonly agents: AgentDirectory;
  readonly clock: Clock;
} & Parameters<typeof cancelExecution>[0] &
  Parameters<typeof cancelRun>[0];

/** A request to delete a workspace; `confirmed` is the username that the user typed. */
export interface Deletion {
  readonly workspace: Workspace;
  readonly confirmed: string | null;
  readonly by: AuditSource;
}

/**
 * Deletes a workspace. It is hidden at once, and all its credentials stop working. Its rows are removed later by
 * `WorkspaceRemovals`.
 */
export async function deleteWorkspace(
  {
    workspaceRemoval,
    openStreams,
    clock,
  }: Pick<RemovalDeps, 'workspaceRemoval' | 'clock'> & {
    readonly openStreams: Pick<OpenStreams, 'recheck'>;
  },
  { workspace, confirmed, by }: Deletion,
): Promise<void> {
  const { id, username = null } = workspace;
  if (confirmed !== username)
    throw refuseFields([{ path: ['username'], message: 'the username of this workspace expected' }]);
  const isBegun = await workspaceRemoval.begin(workspace, {
    ...by,
    workspaceId: id,
    atMs: clock.nowMs(),
    action: 'workspace.deleted',
    target: { kind: 'workspace', id, name: username ?? '' },
    details: { plan: workspace.plan },
  });
  if (!isBegun) throw refuse('not_found', 'this workspace was deleted already, or has another owner');
  await openStreams.recheck();
}

/**
 * Continues every removal that has begun, at this hub, at another, or before a crash: it stops executions, disconnects
 * agents and removes rows.
 */
export class WorkspaceRemovals {
  readonly #deps: RemovalDeps;
  readonly #mutex = new KeyedMutex();
  readonly #stopping = new AbortController();

  constructor(deps: RemovalDeps) {
    this.#deps = deps;
  }

  /** Called when a removal has begun, and periodically. Settles when there is nothing more to do at present. */
  resume(): Promise<void> {
    return this.#mutex.take('removals', async () => {
      const { signal } = this.#stopping;
      try {
        const begun = await this.#deps.workspaceRemoval.begun();
        for (const workspace of begun) await remove(this.#deps, workspace, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    });
  }

  /** Called when the hub stops; the next hub continues. */
  stop(): void {
    this.#stopping.abort();
  }
}

async function remove(deps: RemovalDeps, workspace: DeletedWorkspace, signal: AbortSignal): Promise<void> {
  const { workspaceRemoval, agents, clock } = deps;
  await stopRunning(deps, workspace);
  agents.disconnectWorkspace(workspace.id);
  const areOthersDone = clock.nowMs() >= workspace.deletedAtMs + OTHERS_MS;
  if (!areOthersDone && (await workspaceRemoval.unfinished(workspace.id)).length > 0) return;
  while (!signal.aborted) if ((await workspaceRemoval.removeSome(workspace)) === 'gone') return;
}

/** Cancels the executions of the workspace at this hub. It does not wait for an agent that does not answer in time. */
async function stopRunning(deps: RemovalDeps, { id, deletedAtMs }: DeletedWorkspace): Promise<void> {
  const { workspaceRemoval, executions, clock } = deps;
  // Runs come first, so that the end of a step does not start another.
  for (const run of await deps.runs.unfinishedOf(id)) await cancelRun(deps, { id: run });
  const unfinished = await workspaceRemoval.unfinished(id);
  await Promise.all(unfinished.map((execution) => cancelExecution(deps, execution)));
  const own = unfinished.flatMap((execution) => executions.find(execution.id) ?? []);
  // A host that disconnects meanwhile may take its executions to another hub, which then removes them.
  const allSettled = Promise.all(own.map(({ live }) => live.settled));
  const late = Promise.withResolvers<void>();
  const withdraw = clock.at(deletedAtMs + GRACE_MS, late.resolve);
  await Promise.race([allSettled, late.promise]);
  withdraw();
  const lost = lostBecause('its workspace was deleted');
  for (const { live } of own) if (!live.isFinishing) live.finish(lost, clock.nowMs());
  await allSettled;
}
