import type { Ended } from '@svc/core/execution/outcome';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { quotaOf, type RunningExecutions, type Started } from '../executions/live/running-executions.ts';
import type { Clock } from '../platform/world.ts';

export interface EndQueuedDeps {
  readonly ledger: Pick<ExecutionLedger, 'finishQueued'>;
  readonly clock: Clock;
  readonly executions: Pick<RunningExecutions, 'alertsOf'>;
}

/** Ends an execution that never began, with its alerts, and returns its quota. False when it is no longer queued. */
export async function endQueued(
  { ledger, clock, executions }: EndQueuedDeps,
  execution: Started,
  ended: Ended,
): Promise<boolean> {
  const finish = { ...ended, executionId: execution.id, endedAtMs: clock.nowMs() };
  const alerts = await executions.alertsOf(execution, finish);
  return await ledger.finishQueued({ ...finish, alerts }, quotaOf(execution));
}
