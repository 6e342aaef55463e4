import { PLAN_LIMITS, type PlanLimits } from '@svc/core/plan/plans';

interface PlanFact {
  readonly label: string;
  readonly of: (limits: PlanLimits) => string;
}

const NONE = 'none';

/** The rows of the table of plans, read from the limits that hold. */
export const PLAN_FACTS: readonly PlanFact[] = [
  { label: 'Executions a month', of: ({ executionsPerMonth }) => most(executionsPerMonth) },
  { label: 'Seats', of: ({ seats }) => most(seats) },
  { label: 'Endpoints with a schedule', of: ({ schedules }) => most(schedules) },
  { label: 'Pipeline runs at the same time', of: ({ openRuns }) => most(openRuns) },
  { label: 'Calls a minute and key', of: ({ callsPerMinutePerKey }) => most(callsPerMinutePerKey) },
  {
    label: 'Hosted executions a month',
    of: ({ hosted }) => (hosted ? most(hosted.executionsPerMonth) : NONE),
  },
  { label: 'Hosted at the same time', of: ({ hosted }) => (hosted ? most(hosted.concurrent) : NONE) },
  {
    label: 'Hosted: processor and memory',
    of: ({ hosted }) => (hosted ? `${hosted.vcpus} vCPU, ${memory(hosted.memoryBytes)}` : NONE),
  },
  { label: 'Hosted: longest time', of: ({ hosted }) => (hosted ? `${hosted.timeoutSec} s` : NONE) },
];

export function planFacts(plan: keyof typeof PLAN_LIMITS): string[] {
  return PLAN_FACTS.map(({ of }) => of(PLAN_LIMITS[plan]));
}

function most(limit: number | undefined): string {
  if (limit === undefined) return 'unlimited';
  return limit === 0 ? NONE : limit.toLocaleString('en-US');
}

function memory(bytes: number): string {
  const mib = bytes / (1024 * 1024);
  return mib >= 1024 ? `${mib / 1024} GB` : `${mib} MB`;
}
