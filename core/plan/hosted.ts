import { PLAN_LIMITS, type Plan } from './plans.ts';

/** The timeout of a hosted execution: that of its endpoint, at most that of the plan (reference 8). */
export function hostedTimeoutSec(plan: Plan, timeoutSec: number): number {
  return Math.min(timeoutSec, PLAN_LIMITS[plan].hosted?.timeoutSec ?? timeoutSec);
}

/** A warning about the plan at the registration of a hosted endpoint; undefined if there is none. */
export function hostedWarning(plan: Plan, slug: string, timeoutSec: number): string | undefined {
  const { hosted } = PLAN_LIMITS[plan];
  if (hosted === undefined) return `"${slug}" is refused: the plan ${plan} has no hosted runner`;
  if (timeoutSec <= hosted.timeoutSec) return undefined;
  return `"${slug}" is ended after ${hosted.timeoutSec} s, not ${timeoutSec} s: the hosted runner of the plan ${plan} allows no more`;
}
