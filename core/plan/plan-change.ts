import { PLAN_LIMITS, type Plan } from './plans.ts';

/** The usage of a workspace for everything that a plan limits. */
export interface PlanUse {
  /** Members and pending invitations. */
  readonly seats: number;
  readonly schedules: number;
  /** In this month. */
  readonly executions: number;
}

/** One quantity that exceeds the plan, and the consequence; `allowed` is the limit of the plan. */
export interface PlanEffect {
  readonly what: keyof PlanUse | 'hosted';
  readonly used: number;
  readonly allowed: number;
  readonly message: string;
}

const MEANING: Readonly<Record<keyof PlanUse, string>> = {
  seats: 'nobody is removed; nobody can be invited or join until there is a seat again',
  schedules: 'the schedules that were registered first stay active, the others are ignored',
  executions: 'calls are refused until the next month begins',
};

/**
 * The quantities that exceed a new plan (decision 46, plans and quotas). Nothing is removed: after a return to the previous plan
 * everything is as before.
 * has everything as it was.
 *
 * @param hostedEndpoints how many run on the hosted runner
 */
export function planEffects(plan: Plan, use: PlanUse, hostedEndpoints: number): PlanEffect[] {
  const limits = PLAN_LIMITS[plan];
  const allowed = {
    seats: limits.seats,
    schedules: limits.schedules,
    executions: limits.executionsPerMonth,
  };
  const effects = (Object.keys(MEANING) as (keyof PlanUse)[]).flatMap((what): PlanEffect[] => {
    const limit = allowed[what];
    // The executions are used up with the last one, not with the one after it.
    const isBeyond = limit !== undefined && (what === 'executions' ? use[what] >= limit : use[what] > limit);
    return isBeyond ? [{ what, used: use[what], allowed: limit, message: MEANING[what] }] : [];
  });
  if (limits.hosted !== undefined || hostedEndpoints === 0) return effects;
  const message = 'endpoints with agent_name "hosted" are refused: the plan has no hosted runner';
  return [...effects, { what: 'hosted', used: hostedEndpoints, allowed: 0, message }];
}
