import { quotaAlert, timeText } from '@svc/core/alert/make-event';
import { nextPeriodMs, PLAN_LIMITS, PLANS, quotaPeriod } from '@svc/core/plan/plans';
import type { Clock, Random } from '../platform/world.ts';
import type { QuotaMarks } from './store/quota-marks.ts';

const SHARES = [
  { percent: 80, name: 'quota.80' },
  { percent: 100, name: 'quota.100' },
] as const;

type WatchDeps = { readonly clock: Clock; readonly random: Random } & { readonly quotaMarks: QuotaMarks };

/**
 * Publishes alerts when a workspace has used a share of its monthly executions: each share once in a period, however many
 * hubs check at once. Returns the number of new alerts.
 *
 * NOTE: This polls, because the counter is the most contended row and calls must not pay for a check.
 */
export async function publishQuotaAlerts(deps: WatchDeps): Promise<number> {
  let published = 0;
  for (const plan of PLANS) {
    const limit = PLAN_LIMITS[plan].executionsPerMonth;
    if (limit === undefined) continue;
    for (const share of SHARES) published += await publishShare(deps, plan, limit, share);
  }
  return published;
}

async function publishShare(
  { clock, random, quotaMarks }: WatchDeps,
  plan: (typeof PLANS)[number],
  limit: number,
  { percent, name }: (typeof SHARES)[number],
): Promise<number> {
  const nowMs = clock.nowMs();
  const period = quotaPeriod(nowMs);
  const least = Math.ceil((limit * percent) / 100);
  let published = 0;
  for (const crossing of await quotaMarks.crossed({ plan, period, percent, used: least })) {
    const { workspaceId, used } = crossing;
    const data = { period, used, limit, resets_at: timeText(nextPeriodMs(nowMs)) };
    const event = quotaAlert({ id: random.uuid(), workspaceId, atMs: nowMs }, name, data);
    if (await quotaMarks.mark(crossing, percent, event)) published += 1;
  }
  return published;
}
