import { expireApproval } from '@svc/core/approval/decide-approval';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Clock } from '../platform/world.ts';
import { type ApplyDeps, applyChange, HUB_SOURCE } from './apply-change.ts';
import { pendingCallOf } from './pending-call.ts';

/** The longest time until a waiting caller learns that an approval has expired; pages show it at once. */
export const EXPIRY_SWEEP_MS = 1_000;
const CONCURRENCY = 200;

/** Ends approvals that no person decided on in time. It reads the store, so a restart changes nothing; one hub ends each. */
export async function expireApprovals(
  deps: { readonly clock: Clock; readonly ledger: ExecutionLedger } & ApplyDeps,
): Promise<void> {
  for (;;) {
    const nowMs = deps.clock.nowMs();
    const due = await deps.approvals.due(nowMs, CONCURRENCY);
    await Promise.all(
      due.map(async (approval) => {
        const call = await pendingCallOf(deps, approval);
        if (call === undefined) return;
        const change = expireApproval(approval, nowMs);
        await applyChange(deps, call, change, { end: change.end, source: HUB_SOURCE });
      }),
    );
    if (due.length < CONCURRENCY) return;
  }
}
