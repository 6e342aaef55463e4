import type { HostedTerms } from '../ports/agent-directory.ts';
import type { StepOf } from '../ports/executions.ts';
import type { Ports } from '../ports.ts';
import { hostedLimits } from './hosted-plan.ts';

/** What the container of an execution may have, as plan and operator say it now. Throws `plan_limit`. */
export async function hostedTerms(
  { accounts, hosted }: Pick<Ports, 'accounts' | 'hosted'>,
  { workspaceId, step }: { readonly workspaceId: string; readonly step?: StepOf | undefined },
): Promise<HostedTerms> {
  const [workspace, network] = await Promise.all([
    accounts.workspaceById(workspaceId),
    hosted.mayUseNetwork(workspaceId),
  ]);
  // Of one that was deleted nothing is begun.
  const { vcpus, memoryBytes } = hostedLimits(workspace ?? { plan: 'free' });
  return { vcpus, memoryBytes, network, runId: step?.runId };
}
