import { FIRE_WAIT_MS } from '@svc/core/schedule/due-fires';
import { missedWaiting } from '@svc/core/schedule/fire-decision';
import type { WaitLimit } from './queue.ts';

/** A queued fire is dispatched within its minute, or it is missed (decision 24, takeover). */
export function fireWaitLimit(
  scheduledForMs: number,
  { wasHubUp }: { readonly wasHubUp: boolean },
): WaitLimit {
  return {
    untilMs: scheduledForMs + FIRE_WAIT_MS,
    late: (waitingReason) => missedWaiting(waitingReason, wasHubUp),
  };
}
