import { cancelledBeforeStart } from '@svc/core/execution/outcome';
import { quotaOf, type RunningExecutions } from '../live/running-executions.ts';
import type { Execution, Ports } from '../ports.ts';

type CancelPorts = Pick<Ports, 'ledger' | 'clock'> & { readonly executions: RunningExecutions };

/**
 * Ends what has not started. Of what may have, it is on record that it is to end, so that an agent which is away is told
 * when it is back; that it has ended is what the agent tells (decision 18).
 */
export async function cancelExecution(
  { ledger, clock, executions }: CancelPorts,
  execution: Pick<Execution, 'id' | 'state' | 'workspaceId' | 'createdAtMs'>,
): Promise<void> {
  const { id } = execution;
  const nowMs = clock.nowMs();
  if (execution.state === 'queued') {
    const finish = { ...cancelledBeforeStart(), executionId: id, endedAtMs: nowMs };
    if (await ledger.finishQueued(finish, quotaOf(execution))) return;
    // An agent has been found for it meanwhile.
  }
  if (await ledger.askCancel(id, nowMs)) executions.cancel(id);
}
