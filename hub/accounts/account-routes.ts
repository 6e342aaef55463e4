import { refuse } from '@svc/core/refusal';
import { lacksSecondFactor } from '@svc/core/workspace/second-factor-rule';
import { isOperator } from '../http/authorize.ts';
import type { Handlers } from '../http/handler.ts';
import { actingOrLacking, type IdentityDeps, isForOneWorkspace } from '../http/identity.ts';
import { pageOf } from '../platform/page-of-items.ts';

export interface AccountRoutesDeps extends IdentityDeps {
  readonly addressOf: (request: Request) => string;
}

type Routes = Pick<Handlers, 'showWorkspace' | 'listWorkspaces'>;

/** The account of the signed-in user. */
export function accountRoutes(deps: AccountRoutesDeps): Routes {
  return {
    async showWorkspace({ request, user }) {
      const found = await actingOrLacking(deps, request, ['session', 'personal']);
      if (found === undefined) throw refuse('unauthorized', 'this credential is not valid any more');
      const { workspace, member } = found;
      const isForOne = isForOneWorkspace(user);
      const all = await deps.accounts.workspacesOf(user.userId);
      const shown = all.filter((one) => !isForOne || one.workspace.id === workspace.id);
      return {
        username: workspace.username ?? null,
        plan: workspace.plan,
        role: member.role,
        email: member.email,
        provider_only: isForOne,
        second_factor_missing: lacksSecondFactor(workspace.secondFactor, member),
        operator: !isForOne && isOperator(deps, member.email),
        workspaces: shown.map((one) => ({ username: one.workspace.username ?? null, role: one.role })),
      };
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
