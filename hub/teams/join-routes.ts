import { type SendSignInLinkDeps, type SignInParts, sendSignInLink } from '../accounts/send-sign-in-link.ts';
import { limitSignInsFrom } from '../accounts/sign-in-limit.ts';
import { returnCookie } from '../accounts/sign-in-return.ts';
import { originOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type IdentityDeps, refuseForeignForm, type SignedIn, signedIn } from '../http/identity.ts';
import { tokenOf } from '../platform/http/credential.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import { onPage } from '../platform/pages/on-page.ts';
import { invitationPage, invitationSentPage, type JoinPage, joinedPage, NO_INVITATION } from './join-page.ts';
import { findInvite, joinTeam } from './join-team.ts';

export interface JoinRoutesDeps extends SendSignInLinkDeps, IdentityDeps {
  readonly turns: KeyedMutex;
}

type Routes = Pick<Handlers, 'showInvitation' | 'acceptInvitation' | 'signInToJoin'>;

/** The link of an invitation. GET shows the page; its form joins the team (references 3.2 and 7, decision 34). */
export function joinRoutes(deps: JoinRoutesDeps, parts: SignInParts): Routes {
  const ports = { ...deps, tokens: parts.tokens };
  const about = async (request: Request, token: string): Promise<JoinPage & { user?: SignedIn }> => {
    const shown = await findInvite(ports, token);
    const user = await signedIn(deps, request, ['session', 'personal']);
    const { hubUrl } = deps.settings;
    return { shown, token, hubUrl, signedInAs: user?.home.member.email, ...(user ? { user } : {}) };
  };
  return {
    showInvitation: ({ request, parameters: { token } }) =>
      onPage(NO_INVITATION, async () => invitationPage(await about(request, token))),
    acceptInvitation: ({ request, parameters: { token } }) =>
      onPage(NO_INVITATION, async () => {
        // A program sends its token in a header, which a page of another site cannot make a browser do.
        if (tokenOf(request) === undefined) refuseForeignForm(request, deps.settings.hubUrl);
        const asked = await about(request, token);
        if (asked.user === undefined) return invitationPage(asked, 401);
        const { userId: id, home } = asked.user;
        await joinTeam(ports, token, { id, email: home.member.email }, originOf(deps, request));
        return joinedPage(asked);
      }),
    signInToJoin: ({ request, parameters: { token } }) =>
      onPage(NO_INVITATION, async () => {
        refuseForeignForm(request, deps.settings.hubUrl);
        limitSignInsFrom(deps, request);
        const asked = await about(request, token);
        await sendSignInLink(deps, parts, asked.shown.invite.email);
        const response = invitationSentPage(asked);
        const cookie = returnCookie(deps.settings.hubUrl, 'join', token);
        if (cookie !== undefined) response.headers.set('Set-Cookie', cookie);
        return response;
      }),
  };
}
