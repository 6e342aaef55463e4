import { isPending } from '@svc/core/approval/approval';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { StateChanges } from '../executions/live/state-changes.ts';
import type { Clock } from '../platform/world.ts';
import type { ApprovalPorts } from './approval-ports.ts';
import { findPendingCall, type PendingCallRecord } from './pending-call.ts';

type AwaitPorts = {
  readonly ledger: ExecutionLedger;
  readonly endpoints: Endpoints;
  readonly clock: Clock;
} & ApprovalPorts & {
    readonly changes: StateChanges;
  };

/** Waits until the call is decided, until `untilMs`, or until the caller leaves; returns the call as it is then. */
export async function awaitDecision(
  ports: AwaitPorts,
  held: PendingCallRecord,
  untilMs: number,
  left: AbortSignal,
): Promise<PendingCallRecord> {
  const { clock, changes } = ports;
  for (let now = held; ; ) {
    const change = changes.next(held.execution.id);
    try {
      now = await findPendingCall(ports, held.approval.id);
      const nowMs = clock.nowMs();
      if (!isPending(now.approval, nowMs) || nowMs >= untilMs || left.aborted) return now;
      left.addEventListener('abort', change.wake, { once: true });
      await change.happened;
    } finally {
      change.wake();
      left.removeEventListener('abort', change.wake);
    }
  }
}
