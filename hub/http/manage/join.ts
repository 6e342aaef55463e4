import { findInvite, joinTeam } from '../../engine/team/join-team.ts';
import { tokenOf } from '../call/credential.ts';
import type { HubContext } from '../context.ts';
import {
  invitationPage,
  invitationSentPage,
  type JoinPage,
  joinedPage,
  NO_INVITATION,
} from '../pages/join-pages.ts';
import { onPage } from '../pages/on-page.ts';
import { originOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import { refuseForeignForm, type SignedIn, signedIn } from '../routes/identity.ts';
import { type SignInParts, sendSignInLink } from './send-sign-in-link.ts';
import { limitSignInsFrom } from './sign-in-limit.ts';
import { returnCookie } from './sign-in-return.ts';

type Routes = Pick<Handlers, 'showInvitation' | 'acceptInvitation' | 'signInToJoin'>;

/** The link of an invitation: it shows, and a form of its page joins (references 3.2 and 7, decision 34). */
export function joinRoutes(context: HubContext, parts: SignInParts): Routes {
  const ports = { ...context, tokens: parts.tokens };
  const about = async (request: Request, token: string): Promise<JoinPage & { user?: SignedIn }> => {
    const shown = await findInvite(ports, token);
    const user = await signedIn(context, request, ['session', 'personal']);
    const { hubUrl } = context.settings;
    return { shown, token, hubUrl, signedInAs: user?.home.member.email, ...(user ? { user } : {}) };
  };
  return {
    showInvitation: ({ request, parameters: { token } }) =>
      onPage(NO_INVITATION, async () => invitationPage(await about(request, token))),
    acceptInvitation: ({ request, parameters: { token } }) =>
      onPage(NO_INVITATION, async () => {
        // A program brings its token in a header, which no page of another site can make a browser send.
        if (tokenOf(request) === undefined) refuseForeignForm(request, context.settings.hubUrl);
        const asked = await about(request, token);
        if (asked.user === undefined) return invitationPage(asked, 401);
        const { userId: id, home } = asked.user;
        await joinTeam(ports, token, { id, email: home.member.email }, originOf(context, request));
        return joinedPage(asked);
      }),
    signInToJoin: ({ request, parameters: { token } }) =>
      onPage(NO_INVITATION, async () => {
        refuseForeignForm(request, context.settings.hubUrl);
        limitSignInsFrom(context, request);
        const asked = await about(request, token);
        await sendSignInLink(context, parts, asked.shown.invite.email);
        const response = invitationSentPage(asked);
        const cookie = returnCookie(context.settings.hubUrl, 'join', token);
        if (cookie !== undefined) response.headers.set('Set-Cookie', cookie);
        return response;
      }),
  };
}
