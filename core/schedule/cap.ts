import { PLAN_LIMITS, type Plan } from '../plan/plans.ts';

/**
 * Whether a schedule exceeds the plan: the earliest registered ones are active, the rest are ignored (reference 8).
 *
 * @param earlier how many of the workspace were registered before it
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
