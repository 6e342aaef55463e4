import { hasRunEnded } from '@svc/core/pipeline/run/state';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { HostedHosts } from './hosted-ports.ts';

/** The runs that have ended or do not exist; hosts may remove their volumes (reference 8). */
export async function endedRuns(
  { runs }: { readonly runs: PipelineRuns },
  runIds: readonly string[],
): Promise<string[]> {
  const heads = await Promise.all(runIds.map((id) => runs.head(id)));
  return runIds.filter((_, index) => {
    const head = heads[index];
    return head === undefined || hasRunEnded(head);
  });
}

/**
 * Tells the connected hosts which volumes to remove; called with every heartbeat. The hub of a host does this for all runs,
 * whichever hub drives them, because that hub may be gone.
 */
export async function notifyEndedRuns({
  hosts,
  ...deps
}: { readonly hosts: HostedHosts } & { readonly runs: PipelineRuns }): Promise<void> {
  for (const runId of await endedRuns(deps, hosts.volumes())) hosts.notifyRunEnded(runId);
}
