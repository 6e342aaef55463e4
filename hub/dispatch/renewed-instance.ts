import { journalAlert } from '@svc/core/alert/make-event';
import { lostBecause } from '@svc/core/execution/outcome';
import type { AgentAddress, AgentDirectory } from '../agents/directory-ports.ts';
import { isHost } from '../agents/host-address.ts';
import type { AgentJournals } from '../agents/store/agent-journals.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import type { Clock, Random } from '../platform/world.ts';

/** Why an agent process began as a new instance, as the agent reports it. */
export interface Renewed {
  readonly at_ms: number;
  readonly reason: string;
}

/**
 * Ends executions of the replaced instance as lost: it cannot be known how they ended (decision 61, the journal proves itself).
 *
 * @param replaces an instance of the same token
 */
export function giveUpReplaced(
  {
    agents,
    executions,
    clock,
  }: { readonly agents: AgentDirectory; readonly clock: Clock } & { readonly executions: RunningExecutions },
  process: AgentAddress,
  replaces: string,
): void {
  if (replaces === process.instance) return;
  const { workspaceId, name } = process;
  // The original instance continues where the folder was copied.
  const isConnected = agents
    .connected(workspaceId)
    .some((one) => one.name === name && one.instance === replaces);
  if (isConnected) return;
  const lost = lostBecause(
    `the journal of agent "${name}" was damaged: it is not known how the execution ended`,
  );
  for (const { live } of executions.ofAgent({ workspaceId, name, instance: replaces }))
    live.finish(lost, clock.nowMs());
}

type RenewalDeps = { readonly clock: Clock; readonly random: Random } & { readonly journals: AgentJournals };

/** Records and reports the new instance, once; false when it was reported before. */
export async function recordDamage(
  { clock, random, journals }: RenewalDeps,
  process: AgentAddress,
  { at_ms: sinceMs, reason }: Renewed,
): Promise<boolean> {
  const { workspaceId, name: agentName } = process;
  const base = { id: random.uuid(), workspaceId, atMs: clock.nowMs() };
  const events = isHost(process) ? [] : [journalAlert(base, { agentName, sinceMs, reason })];
  return await journals.damaged(process, sinceMs, events);
}
