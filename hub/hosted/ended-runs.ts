import { hasRunEnded } from '@svc/core/pipeline/run/state';
import type { PipelineRuns } from '../pipelines/runs/store/run-store.ts';
import type { HostedHosts } from './hosted-ports.ts';

/** Those that have ended, or are no runs: what hosts keep for them may go (reference 8). */
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
 * Tells the hosts here which volumes are needed no more; to be done with every beat. Whichever hub has a run, and whatever
 * became of that hub: the one that a host is connected to looks.
 */
export async function tellEndedRuns({
  hosts,
  ...ports
}: { readonly hosts: HostedHosts } & { readonly runs: PipelineRuns }): Promise<void> {
  for (const runId of await endedRuns(ports, hosts.volumes())) hosts.tellRunEnded(runId);
}
