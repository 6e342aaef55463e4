import { nextPeriodMs, PLAN_LIMITS, quotaPeriod } from '@svc/core/plan/plans';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { Workspace } from '../ports/accounts.ts';
import type { QuotaClaim } from '../ports/executions.ts';

/** One unit of the month that now is (decision 46). */
export function quotaClaim(workspace: Workspace, nowMs: number): QuotaClaim {
  const limit = PLAN_LIMITS[workspace.plan].executionsPerMonth;
  return { workspaceId: workspace.id, period: quotaPeriod(nowMs), limit };
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
