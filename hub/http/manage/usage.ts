import { nextPeriodMs, PLAN_LIMITS, type Plan, quotaPeriod } from '@svc/core/plan/plans';
import { changePlan, planUse } from '../../engine/workspace/change-plan.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import { time } from '../time.ts';

type Routes = Pick<Handlers, 'showUsage' | 'changePlan'>;

/** Plans, and what is used of them (reference 2.9, decision 46). */
export function usageRoutes(context: HubContext, { defaultPlan }: { readonly defaultPlan: Plan }): Routes {
  return {
    async showUsage({ acting: { workspace } }) {
      const { plan } = workspace;
      const limits = PLAN_LIMITS[plan];
      const { executions: used, seats, schedules } = await planUse(context, workspace);
      const limit = limits.executionsPerMonth ?? null;
      return {
        plan,
        ...month(context),
        executions: { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) },
        seats: { used: seats, limit: limits.seats ?? null },
        schedules: { used: schedules, limit: limits.schedules ?? null },
      };
    },
    async changePlan({ request, acting: { workspace, member }, body: { plan } }) {
      const by = sourceOf(context, request, member);
      return { plan, effects: await changePlan(context, { workspace, plan, defaultPlan, by }) };
    },
  };
}

function month({ clock }: HubContext) {
  const nowMs = clock.nowMs();
  return { period: quotaPeriod(nowMs), resets_at: time(nextPeriodMs(nowMs)) };
}
