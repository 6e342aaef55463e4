import {
  type HostedLimits,
  hostedPeriod,
  nextPeriodMs,
  PLAN_LIMITS,
  quotaPeriod,
} from '@svc/core/plan/plans';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Handlers } from '../http/handler.ts';
import { time } from '../platform/http/json-response.ts';
import type { Clock } from '../platform/world.ts';
import type { HostedRecords } from './store/hosted-records.ts';
import type { KnownHosts } from './store/known-hosts.ts';

export interface HostedRoutesDeps {
  readonly clock: Clock;
  readonly hosted: HostedRecords;
  readonly knownHosts: KnownHosts;
  readonly ledger: ExecutionLedger;
}

function limitsOf({ vcpus, memoryBytes, timeoutSec }: HostedLimits) {
  return { vcpus, memory_bytes: memoryBytes, timeout_s: timeoutSec };
}

/** The hosted runner as a workspace sees it (reference 2.9). */
export function hostedRoutes({
  clock,
  ledger,
  hosted,
  knownHosts,
}: HostedRoutesDeps): Pick<Handlers, 'showHostedUsage'> {
  return {
    async showHostedUsage({ acting: { workspace } }) {
      const { plan, id } = workspace;
      const nowMs = clock.nowMs();
      const limits = PLAN_LIMITS[plan].hosted;
      const { executionsPerMonth: limit = 0, concurrent = 0 } = limits ?? {};
      const [used, running, hosts] = await Promise.all([
        ledger.quotaUsed(id, hostedPeriod(nowMs)),
        hosted.running(id),
        knownHosts.all(),
      ]);
      return {
        period: quotaPeriod(nowMs),
        used,
        limit,
        remaining: Math.max(0, limit - used),
        resets_at: time(nextPeriodMs(nowMs)),
        concurrent: { running, limit: concurrent },
        plan,
        limits: limits === undefined ? null : limitsOf(limits),
        available: hosts.some(({ hubId }) => hubId !== undefined),
      };
    },
  };
}
