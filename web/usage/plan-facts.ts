import { PLAN_LIMITS, type PlanLimits } from '@svc/core/plan/plans';
import { grouped } from '../design/text/grouped.ts';

interface PlanFact {
  readonly label: string;
  readonly of: (limits: PlanLimits) => string;
}

const NONE = 'none';

/** The rows of the plan table, taken from the limits in force. */
export const PLAN_FACTS: readonly PlanFact[] = [
  { label: 'Executions per month', of: ({ executionsPerMonth }) => most(executionsPerMonth) },
  { label: 'Seats', of: ({ seats }) => most(seats) },
  { label: 'Schedules', of: ({ schedules }) => most(schedules) },
  { label: 'Concurrent pipeline runs', of: ({ openRuns }) => most(openRuns) },
  { label: 'Calls per minute and key', of: ({ callsPerMinutePerKey }) => most(callsPerMinutePerKey) },
  {
    label: 'Hosted executions per month',
    of: ({ hosted }) => (hosted ? most(hosted.executionsPerMonth) : NONE),
  },
  { label: 'Hosted: concurrency limit', of: ({ hosted }) => (hosted ? most(hosted.concurrent) : NONE) },
  {
    label: 'Hosted: CPU and memory',
    of: ({ hosted }) => (hosted ? `${hosted.vcpus} vCPU, ${memory(hosted.memoryBytes)}` : NONE),
  },
  { label: 'Hosted: max timeout', of: ({ hosted }) => (hosted ? `${hosted.timeoutSec} s` : NONE) },
];

export function planFacts(plan: keyof typeof PLAN_LIMITS): string[] {
  return PLAN_FACTS.map(({ of }) => of(PLAN_LIMITS[plan]));
}

function most(limit: number | undefined): string {
  if (limit === undefined) return 'unlimited';
  return limit === 0 ? NONE : grouped(limit);
}

function memory(bytes: number): string {
  const mib = bytes / (1024 * 1024);
  return mib >= 1024 ? `${mib / 1024} GB` : `${mib} MB`;
}
