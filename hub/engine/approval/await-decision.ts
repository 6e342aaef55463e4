import { isPending } from '@svc/core/approval/approval';
import type { StateChanges } from '../live/state-changes.ts';
import type { ApprovalPorts } from '../ports/approvals.ts';
import type { Ports } from '../ports.ts';
import { findHeldCall, type HeldCallRecord } from './held-call.ts';

type AwaitPorts = Pick<Ports, 'ledger' | 'endpoints' | 'clock'> &
  ApprovalPorts & {
    readonly changes: StateChanges;
  };

/** A held call once somebody has decided on it, or as it is at `untilMs` or when nobody waits any more. */
export async function awaitDecision(
  ports: AwaitPorts,
  held: HeldCallRecord,
  untilMs: number,
  left: AbortSignal,
): Promise<HeldCallRecord> {
  const { clock, changes } = ports;
  for (let now = held; ; ) {
    const change = changes.next(held.execution.id);
    try {
      now = await findHeldCall(ports, held.approval.id);
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
