import { PLAN_LIMITS, type Plan } from './plans.ts';

/** How long a hosted execution may take: what its endpoint says, unless the plan leaves it less (reference 8). */
export function hostedTimeoutSec(plan: Plan, timeoutSec: number): number {
  return Math.min(timeoutSec, PLAN_LIMITS[plan].hosted?.timeoutSec ?? timeoutSec);
}

/** What whoever registers a hosted endpoint should know of its plan; undefined: nothing. */
export function hostedWarning(plan: Plan, slug: string, timeoutSec: number): string | undefined {
  const { hosted } = PLAN_LIMITS[plan];
  if (hosted === undefined) return `"${slug}" is refused: the plan ${plan} has no hosted runner`;
  if (timeoutSec <= hosted.timeoutSec) return undefined;
  return `"${slug}" is ended after ${hosted.timeoutSec} s, not ${timeoutSec} s: the hosted runner of the plan ${plan} allows no more`;
}
