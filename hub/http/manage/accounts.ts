import { refuse } from '@svc/core/refusal';
import { chooseUsername } from '../../engine/account/choose-username.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import { isOperator } from '../routes/authorize.ts';
import type { Handlers } from '../routes/handler.ts';
import { acting } from '../routes/identity.ts';
import { pageOf } from '../routes/page-of.ts';

type Routes = Pick<Handlers, 'showWorkspace' | 'listWorkspaces' | 'chooseUsername'>;

/** What a signed-in user does with their own account. */
export function accountRoutes(context: HubContext): Routes {
  return {
    async showWorkspace({ request, user }) {
      const found = await acting(context, request, ['session', 'personal']);
      if (found === undefined) throw refuse('unauthorized', 'this credential is not valid any more');
      const { workspace, member } = found;
      const all = await context.accounts.workspacesOf(user.userId);
      return {
        username: workspace.username ?? null,
        plan: workspace.plan,
        role: member.role,
        email: member.email,
        operator: isOperator(context, member.email),
        workspaces: all.map((one) => ({ username: one.workspace.username ?? null, role: one.role })),
      };
    },
    async listWorkspaces({ user, query }) {
      const all = await context.accounts.workspacesOf(user.userId);
      const items = all.map(({ workspace: { id, username, plan }, role }) => ({
        id,
        username: username ?? null,
        plan,
        role,
      }));
      return pageOf(items, ({ id }) => id, query);
    },
    async chooseUsername({ request, body: { username }, acting: { member, workspace } }) {
      await chooseUsername(context, workspace.id, username, sourceOf(context, request, member));
      return { username };
    },
  };
}
