import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Clock } from '../platform/world.ts';
import { pendingCallOf } from './pending-call.ts';
import { type ReconcilePorts, settleExpired } from './reconcile-approval.ts';

/** How often it is looked for what has expired: people see at once that it has, callers that wait within so long. */
export const EXPIRY_SWEEP_MS = 1_000;
const AT_ONCE = 200;

/**
 * Ends what nobody has decided on in time. It goes by what the store has, so it is the same after a restart; of several
 * hubs one ends each.
 */
export async function expireApprovals(
  ports: { readonly clock: Clock; readonly ledger: ExecutionLedger } & ReconcilePorts,
): Promise<void> {
  for (;;) {
    const nowMs = ports.clock.nowMs();
    const due = await ports.approvals.due(nowMs, AT_ONCE);
    await Promise.all(
      due.map(async (approval) => {
        const held = await pendingCallOf(ports, approval);
        if (held !== undefined) await settleExpired(ports, held, nowMs);
      }),
    );
    if (due.length < AT_ONCE) return;
  }
}
