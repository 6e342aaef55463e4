import { USAGE_MONTHS } from '@svc/core/api/routes/usage';
import { nextPeriodMs, PLAN_LIMITS, type Plan, quotaPeriod } from '@svc/core/plan/plans';
import { limitPerDay } from '../accounts/limit-workspaces.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import { sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { endedSessionCookie } from '../http/session-cookies.ts';
import { time } from '../platform/http/json-response.ts';
import { reply } from '../platform/http/reply.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import { deleteWorkspace, type WorkspaceRemovals } from '../retention/delete-workspace.ts';
import type { WorkspaceRemoval } from '../retention/store/workspace-removal.ts';
import type { Teams } from '../teams/store/team-store.ts';
import { changePlan, planUse } from './change-plan.ts';

interface WorkspaceRoutesDeps {
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly limiter: RateLimiter;
  readonly openStreams: OpenStreams;
  readonly removals: WorkspaceRemovals;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
  readonly workspaceRemoval: WorkspaceRemoval;
}

/** Deletes a workspace. Its rows are removed after the response. */
export function workspaceDeletionRoutes(
  deps: WorkspaceRoutesDeps,
  { ownWorkspaces }: { readonly ownWorkspaces: number },
): Pick<Handlers, 'deleteWorkspace'> {
  return {
    async deleteWorkspace({ request, acting: { workspace, member, home }, body: { username: confirmed } }) {
      const by = sourceOf(deps, request, member);
      await limitPerDay(deps, 'deletion', { email: member.email, ownWorkspaces }, () =>
        deleteWorkspace(deps, { workspace, confirmed, by }),
      );
      deps.removals.resume().catch(deps.reportBug);
      // The sessions of the owner belong to their first workspace.
      const isSignedOut = home.workspace.id === workspace.id;
      return reply(
        204,
        undefined,
        isSignedOut ? { 'Set-Cookie': endedSessionCookie(deps.settings.hubUrl) } : {},
      );
    },
  };
}

interface UsageRoutesDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly endpoints: Endpoints;
  readonly ledger: ExecutionLedger;
  readonly teams: Teams;
}

type Routes = Pick<Handlers, 'showUsage' | 'changePlan'>;

/** Plans and their usage (reference 2.9, decision 46, plans and quotas). */
export function usageRoutes(deps: UsageRoutesDeps, { defaultPlan }: { readonly defaultPlan: Plan }): Routes {
  return {
    async showUsage({ acting: { workspace } }) {
      const { plan } = workspace;
      const limits = PLAN_LIMITS[plan];
      const [{ executions: used, seats, schedules }, months] = await Promise.all([
        planUse(deps, workspace),
        deps.ledger.usedMonths(workspace.id, USAGE_MONTHS),
      ]);
      const limit = limits.executionsPerMonth ?? null;
      return {
        plan,
        ...month(deps),
        executions: { used, limit, remaining: limit === null ? null : Math.max(0, limit - used) },
        seats: { used: seats, limit: limits.seats ?? null },
        schedules: { used: schedules, limit: limits.schedules ?? null },
        months: months.map((month) => ({ ...month })),
      };
    },
    async changePlan({ request, acting: { workspace, member }, body: { plan } }) {
      const by = sourceOf(deps, request, member);
      return { plan, effects: await changePlan(deps, { workspace, plan, defaultPlan, by }) };
    },
  };
}

function month({ clock }: UsageRoutesDeps) {
  const nowMs = clock.nowMs();
  return { period: quotaPeriod(nowMs), resets_at: time(nextPeriodMs(nowMs)) };
}
