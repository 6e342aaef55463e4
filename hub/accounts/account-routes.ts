import type { Plan } from '@svc/core/plan/plans';
import { Refusal, refuse } from '@svc/core/refusal';
import { lacksSecondFactor } from '@svc/core/workspace/second-factor-rule';
import { sourceOf } from '../http/audit-source.ts';
import { isOperator } from '../http/authorize.ts';
import type { Handlers } from '../http/handler.ts';
import { actingOrLacking, type IdentityDeps, isForOneWorkspace } from '../http/identity.ts';
import { pageOf } from '../platform/page-of-items.ts';
import type { RateLimiter } from '../platform/rate-limiter.ts';
import type { Random } from '../platform/world.ts';
import { createOwnWorkspace } from './create-workspace.ts';
import { limitPerDay } from './limit-workspaces.ts';
import type { Usernames } from './store/username-store.ts';

export interface AccountRoutesDeps extends IdentityDeps {
  readonly addressOf: (request: Request) => string;
  readonly limiter: RateLimiter;
  readonly random: Random;
  readonly usernames: Usernames;
}

type Routes = Pick<Handlers, 'showWorkspace' | 'listWorkspaces' | 'createWorkspace'>;

/** The operator's limits for new workspaces. */
interface AccountParts {
  readonly defaultPlan: Plan;
  readonly ownWorkspaces: number;
}

/** The account of the signed-in user. */
export function accountRoutes(
  deps: AccountRoutesDeps,
  { defaultPlan, ownWorkspaces: maxOwnWorkspaces }: AccountParts,
): Routes {
  return {
    async showWorkspace({ request, user }) {
      const found = await actingOrLacking(deps, request, ['session', 'personal']);
      if (found === undefined) throw refuse('unauthorized', 'this credential is not valid any more');
      const { workspace, member } = found;
      const isForOne = isForOneWorkspace(user);
      // The dashboard calls this route when it opens, so the next sign-in opens this workspace.
      if (user.access.kind === 'session' && !isForOne) noteLast(deps, user.userId, workspace.id);
      const all = await deps.accounts.workspacesOf(user.userId);
      const shown = all.filter((one) => !isForOne || one.workspace.id === workspace.id);
      return {
        username: workspace.username ?? null,
        plan: workspace.plan,
        role: member.role,
        email: member.email,
        account_id: user.userId,
        provider_only: isForOne,
        second_factor_missing: lacksSecondFactor(workspace.secondFactor, member),
        operator: !isForOne && isOperator(deps, member.email),
        workspaces: shown.map((one) => ({ username: one.workspace.username ?? null, role: one.role })),
      };
    },
    async createWorkspace({ request, user, body: { username } }) {
      const by = sourceOf(deps, request, user.home.member);
      const ports = { ...deps, defaultPlan, maxOwnWorkspaces };
      const { email } = user.home.member;
      const { id, plan } = await limitPerDay(
        deps,
        'creation',
        { email, ownWorkspaces: maxOwnWorkspaces },
        () => createOwnWorkspace(ports, { userId: user.userId, username }, by),
      );
      return { id, username, plan, role: 'owner' as const };
    },
    async listWorkspaces({ user, query }) {
      const all = (await deps.accounts.workspacesOf(user.userId)).filter(
        ({ workspace: { id } }) => !isForOneWorkspace(user) || id === user.access.workspaceId,
      );
      const items = all.map(({ workspace: { id, username, plan }, role }) => ({
        id,
        username: username ?? null,
        plan,
        role,
      }));
      return pageOf(items, ({ id }) => id, query);
    },
  };
}

/** Runs in the background: a read must not fail because the store cannot write. */
function noteLast({ accounts, reportBug }: AccountRoutesDeps, userId: string, workspaceId: string): void {
  const note = async () => {
    if ((await accounts.lastWorkspaceOf(userId)) === workspaceId) return;
    await accounts.noteLastWorkspace(userId, workspaceId);
  };
  note().catch((error: unknown) => {
    if (!(error instanceof Refusal)) reportBug(error);
  });
}
