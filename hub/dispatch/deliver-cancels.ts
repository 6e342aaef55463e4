import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';

interface DeliverDeps {
  readonly ledger: Pick<ExecutionLedger, 'cancelRequested'>;
  readonly executions: Pick<RunningExecutions, 'count' | 'find' | 'cancel'>;
  readonly hubId: string;
}

/**
 * Cancels the executions of this hub whose cancel request is on record and has not reached this hub: another hub stored it, and its
 * message was lost or there is no bus, or this hub stored it without an answer of the store.
 *
 * To be called with every heartbeat, and when the bus is back. One read of the unfinished executions, however many there are.
 */
export async function deliverCancels({ ledger, executions, hubId }: DeliverDeps): Promise<void> {
  if (executions.count === 0) return;
  for (const id of await ledger.cancelRequested(hubId))
    if (executions.find(id)?.isCancelled === false) executions.cancel(id);
}
