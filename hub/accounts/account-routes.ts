import { refuse } from '@svc/core/refusal';
import { sourceOf } from '../http/audit-source.ts';
import { isOperator } from '../http/authorize.ts';
import type { Handlers } from '../http/handler.ts';
import { acting } from '../http/identity.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { pageOf } from '../platform/http/page-of.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import { chooseUsername } from './choose-username.ts';
import type { KeyUse } from './key-use.ts';
import type { Accounts } from './store/account-store.ts';
import type { Credentials } from './store/credentials.ts';

export interface AccountRoutesDeps {
  readonly accounts: Accounts;
  readonly addressOf: (request: Request) => string;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly keyUse: KeyUse;
  readonly lookups: CallLookups;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
}

type Routes = Pick<Handlers, 'showWorkspace' | 'listWorkspaces' | 'chooseUsername'>;

/** What a signed-in user does with their own account. */
export function accountRoutes(deps: AccountRoutesDeps): Routes {
  return {
    async showWorkspace({ request, user }) {
      const found = await acting(deps, request, ['session', 'personal']);
      if (found === undefined) throw refuse('unauthorized', 'this credential is not valid any more');
      const { workspace, member } = found;
      const all = await deps.accounts.workspacesOf(user.userId);
      return {
        username: workspace.username ?? null,
        plan: workspace.plan,
        role: member.role,
        email: member.email,
        operator: isOperator(deps, member.email),
        workspaces: all.map((one) => ({ username: one.workspace.username ?? null, role: one.role })),
      };
    },
    async listWorkspaces({ user, query }) {
      const all = await deps.accounts.workspacesOf(user.userId);
      const items = all.map(({ workspace: { id, username, plan }, role }) => ({
        id,
        username: username ?? null,
        plan,
        role,
      }));
      return pageOf(items, ({ id }) => id, query);
    },
    async chooseUsername({ request, body: { username }, acting: { member, workspace } }) {
      await chooseUsername(deps, workspace.id, username, sourceOf(deps, request, member));
      return { username };
    },
  };
}
