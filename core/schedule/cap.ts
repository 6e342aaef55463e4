import { PLAN_LIMITS, type Plan } from '../plan/plans.ts';

/**
 * True if the plan does not allow the schedule. The schedules that were registered first are active, all others are ignored (reference 8).
 *
 * @param earlier the number of schedules of the workspace that were registered before it
 */
export function isBeyondCap(earlier: number, plan: Plan): boolean {
  const { schedules: cap } = PLAN_LIMITS[plan];
  return cap !== undefined && earlier >= cap;
}

/** The warning about a schedule that the plan does not allow. */
export function ignoredWarning(slug: string, plan: Plan): string {
  const { schedules: cap = 0 } = PLAN_LIMITS[plan];
  const why = cap === 0 ? 'has none' : `has ${cap}, which were registered earlier`;
  return `"${slug}": the schedule is ignored: the plan ${plan} ${why}`;
}
