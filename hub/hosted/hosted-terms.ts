import type { Accounts } from '../accounts/store/account-store.ts';
import type { HostedTerms } from '../agents/directory-ports.ts';
import type { StepOf } from '../executions/execution-ports.ts';
import { hostedLimits } from './hosted-plan.ts';
import type { HostedRecords } from './store/hosted-records.ts';

/** The limits of an execution's container by the current plan and configuration. Throws `plan_limit`. */
export async function hostedTerms(
  { accounts, hosted }: { readonly accounts: Accounts; readonly hosted: HostedRecords },
  { workspaceId, step }: { readonly workspaceId: string; readonly step?: StepOf | undefined },
): Promise<HostedTerms> {
  const [workspace, network] = await Promise.all([
    accounts.workspaceById(workspaceId),
    hosted.mayUseNetwork(workspaceId),
  ]);
  // A deleted workspace begins nothing.
  const { vcpus, memoryBytes } = hostedLimits(workspace ?? { plan: 'free' });
  return { vcpus, memoryBytes, network, runId: step?.runId };
}
