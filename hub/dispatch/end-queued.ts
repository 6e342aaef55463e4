import type { Ended } from '@svc/core/execution/outcome';
import type { WaitingReason } from '@svc/core/execution/waiting';
import { FIRE_WAIT_MS } from '@svc/core/schedule/due-fires';
import { missedWaiting } from '@svc/core/schedule/fire-decision';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { quotaOf, type RunningExecutions, type Started } from '../executions/live/running-executions.ts';
import type { Clock } from '../platform/world.ts';

/** How long an execution waits, and how it ends when it has not begun by then. */
export interface WaitLimit {
  readonly untilMs: number;
  readonly late: (waitingReason: WaitingReason) => Ended;
}

interface EndQueuedDeps {
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

/** A queued fire is dispatched within its minute, or it is missed (decision 24, states and takeover). */
export function fireWaitLimit(
  scheduledForMs: number,
  { wasHubUp }: { readonly wasHubUp: boolean },
): WaitLimit {
  return {
    untilMs: scheduledForMs + FIRE_WAIT_MS,
    late: (waitingReason) => missedWaiting(waitingReason, wasHubUp),
  };
}
