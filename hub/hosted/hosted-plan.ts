import { type HostedLimits, hostedPeriod, nextPeriodMs, PLAN_LIMITS } from '@svc/core/plan/plans';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { HostedTerms } from '../agents/directory-ports.ts';
import type { QuotaClaim, StepOf } from '../executions/execution-ports.ts';
import { quotaClaim } from '../executions/quota-claim.ts';
import type { HostedRecords } from './store/hosted-records.ts';

/** When a caller without a slot should retry. It is a guess, because most executions are short. */
const RETRY_AFTER_SEC = 5;

/** @throws `plan_limit` when the plan has no hosted runner (decision 50, the queue of the hosted runner) */
export function hostedLimits({ plan }: Pick<Workspace, 'plan'>): HostedLimits {
  const { hosted } = PLAN_LIMITS[plan];
  if (hosted !== undefined) return hosted;
  const message = `the plan ${plan} has no hosted runner: it comes with pro and team`;
  throw refuse('plan_limit', message, { plan });
}

/**
 * A unit of both quotas and a slot among the running executions (decision 46, plans and quotas; decision 50, the queue of the
 * hosted runner).
 */
export function hostedClaim(workspace: Workspace, nowMs: number): QuotaClaim {
  const { executionsPerMonth: limit, concurrent } = hostedLimits(workspace);
  return { ...quotaClaim(workspace, nowMs), hosted: { period: hostedPeriod(nowMs), limit, concurrent } };
}

export function hostedQuotaExceeded(workspace: Workspace, nowMs: number): Refusal {
  const { executionsPerMonth: limit } = hostedLimits(workspace);
  const resetsAtMs = nextPeriodMs(nowMs);
  return refuse(
    'quota_exceeded',
    `the ${limit} executions on the hosted runner of this month are used up (plan ${workspace.plan})`,
    {
      limit,
      resets_at: new Date(resetsAtMs).toISOString(),
      retry_after_s: Math.ceil((resetsAtMs - nowMs) / 1000),
    },
  );
}

export function noPlace(workspace: Workspace, waitedMs: number): Refusal {
  const { concurrent } = hostedLimits(workspace);
  const waited = `within ${waitedMs / 1000} s`;
  return refuse(
    'concurrency_limited',
    `no place on the hosted runner was free ${waited}: the plan ${workspace.plan} has ${concurrent}`,
    { limit: concurrent, retry_after_s: RETRY_AFTER_SEC },
  );
}

/** The limits of an execution's container by the current plan and configuration. Throws `plan_limit`. */
export async function hostedTerms(
  { accounts, hosted }: { readonly accounts: Accounts; readonly hosted: HostedRecords },
  { workspaceId, step }: { readonly workspaceId: string; readonly step?: StepOf | undefined },
): Promise<HostedTerms> {
  const [workspace, network] = await Promise.all([
    accounts.workspaceById(workspaceId),
    hosted.mayUseNetwork(workspaceId),
  ]);
  // A deleted workspace begins nothing.
  const { vcpus, memoryBytes } = hostedLimits(workspace ?? { plan: 'free' });
  return { vcpus, memoryBytes, network, runId: step?.runId };
}
