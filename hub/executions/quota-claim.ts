import { nextPeriodMs, PLAN_LIMITS, quotaPeriod } from '@svc/core/plan/plans';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Clock } from '../platform/world.ts';
import type { ExecutionLedger, QuotaClaim } from './execution-ports.ts';

/** One unit of the quota of the current month (decision 46, plans and quotas). */
export function quotaClaim(workspace: Workspace, nowMs: number): QuotaClaim {
  const limit = PLAN_LIMITS[workspace.plan].executionsPerMonth;
  return { workspaceId: workspace.id, period: quotaPeriod(nowMs), limit };
}

/**
 * Refuses a pipeline call when the month is used up. Otherwise nothing is reserved: each execution takes its unit with its own
 * record.
 */
export async function refuseUsedUp(
  { ledger, clock }: { readonly ledger: ExecutionLedger; readonly clock: Clock },
  workspace: Workspace,
): Promise<void> {
  const nowMs = clock.nowMs();
  const { workspaceId, period, limit } = quotaClaim(workspace, nowMs);
  if (limit === undefined || (await ledger.quotaUsed(workspaceId, period)) < limit) return;
  throw quotaExceeded(workspace, nowMs);
}

export function quotaExceeded(workspace: Workspace, nowMs: number): Refusal {
  const limit = PLAN_LIMITS[workspace.plan].executionsPerMonth;
  const resetsAtMs = nextPeriodMs(nowMs);
  return refuse(
    'quota_exceeded',
    `the ${limit} executions of this month are used up (plan ${workspace.plan})`,
    {
      limit,
      resets_at: new Date(resetsAtMs).toISOString(),
      retry_after_s: Math.ceil((resetsAtMs - nowMs) / 1000),
    },
  );
}
