import { refuse } from '@svc/core/refusal';
import { chooseUsername } from '../../engine/account/choose-username.ts';
import { makeAccessToken } from '../../engine/account/make-tokens.ts';
import { ownMembership } from '../../engine/account/own-member.ts';
import { signOut } from '../../engine/account/sign-out.ts';
import type { HubContext } from '../context.ts';
import { sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import { acting } from '../routes/identity.ts';
import { reply } from '../routes/reply.ts';
import { endedSessionCookie } from '../routes/session-cookie.ts';
import { time } from '../time.ts';

type Routes = Pick<Handlers, 'signOut' | 'showWorkspace' | 'chooseUsername' | 'makePersonalToken'>;

/** What a signed-in user does with their own account. */
export function accountRoutes(context: HubContext): Routes {
  return {
    async signOut({ request, user: { userId, access } }) {
      const { member } = await ownMembership(context, userId);
      await signOut(context, access, member, sourceOf(context, request, member));
      const headers = { 'Set-Cookie': endedSessionCookie(context.settings.hubUrl) };
      return reply(204, undefined, headers);
    },
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
        workspaces: all.map((one) => ({ username: one.workspace.username ?? null, role: one.role })),
      };
    },
    async chooseUsername({ request, body: { username }, acting: { member, workspace } }) {
      await chooseUsername(context, workspace.id, username, sourceOf(context, request, member));
      return { username };
    },
    async makePersonalToken({ request, user }) {
      const { member } = await ownMembership(context, user.userId);
      const { row, token } = await makeAccessToken(context, member, sourceOf(context, request, member));
      return { access_token: token, expires_at: time(row.expiresAtMs) };
    },
  };
}
