import type { AuditSource } from '@svc/core/audit/entry';
import { type PlanEffect, type PlanUse, planEffects } from '@svc/core/plan/plan-change';
import { type Plan, quotaPeriod } from '@svc/core/plan/plans';
import { refuse } from '@svc/core/refusal';
import { seatsUsed } from '@svc/core/team/team';
import type { Workspace } from '../accounts/account-ports.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Clock } from '../platform/world.ts';
import type { Teams } from '../teams/store/team-store.ts';

const HOSTED = 'hosted';

type UseDeps = {
  readonly teams: Teams;
  readonly endpoints: Endpoints;
  readonly ledger: ExecutionLedger;
  readonly clock: Clock;
};

/** The usage of a workspace for each limit of plans, and the number of its endpoints on the hosted runner. */
export async function planUse(
  { teams, endpoints, ledger, clock }: UseDeps,
  { id }: Pick<Workspace, 'id'>,
): Promise<PlanUse & { readonly hostedEndpoints: number }> {
  const nowMs = clock.nowMs();
  const [team, registered, executions] = await Promise.all([
    teams.load(id),
    endpoints.list(id),
    ledger.quotaUsed(id, quotaPeriod(nowMs)),
  ]);
  return {
    seats: team === undefined ? 0 : seatsUsed(team, nowMs),
    schedules: registered.filter(({ endpoint }) => endpoint.schedule !== undefined).length,
    executions,
    hostedEndpoints: registered.filter(({ endpoint }) => endpoint.agentName === HOSTED).length,
  };
}

/** The source of the change, and the plan of new workspaces on this hub. */
export interface PlanChange {
  readonly workspace: Workspace;
  readonly plan: Plan;
  readonly defaultPlan: Plan;
  readonly by: AuditSource;
}

/**
 * Changes the plan of a workspace from the next call on. It reports what exceeds the new plan, and removes nothing (decision 46,
 * plans and quotas).
 */
export async function changePlan(
  deps: UseDeps & { readonly accounts: Accounts },
  { workspace, plan, defaultPlan, by }: PlanChange,
): Promise<readonly PlanEffect[]> {
  if (plan === 'unlimited' && workspace.plan !== plan && defaultPlan !== plan)
    throw refuse('forbidden', 'only an operator of this hub gives the plan "unlimited"');
  if (plan !== workspace.plan) {
    await deps.accounts.setPlan(workspace.id, plan, {
      ...by,
      workspaceId: workspace.id,
      atMs: deps.clock.nowMs(),
      action: 'workspace.plan_changed',
      target: { kind: 'workspace', id: workspace.id, name: workspace.username ?? '' },
      details: { from: workspace.plan, to: plan },
    });
  }
  const { hostedEndpoints, ...use } = await planUse(deps, workspace);
  return planEffects(plan, use, hostedEndpoints);
}
