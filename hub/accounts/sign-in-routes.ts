import { refuse } from '@svc/core/refusal';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import {
  type IdentityDeps,
  memberOfRequest,
  refuseForeignForm,
  sessionToReplace,
  signedIn,
} from '../http/identity.ts';
import { sessionCookie } from '../http/session-cookie.ts';
import { onPage } from '../platform/pages/on-page.ts';
import { ACCESS_TOKEN_MS, makeAccessToken, makeSession } from './make-tokens.ts';
import type { OpenStreams } from './open-streams.ts';
import { ownMembership } from './own-member.ts';
import { type SendSignInLinkDeps, type SignInParts, sendSignInLink } from './send-sign-in-link.ts';
import { confirmSignIn, findSignInLink } from './sign-in.ts';
import { limitSignInsFrom } from './sign-in-limit.ts';
import { confirmSignInPage } from './sign-in-pages.ts';
import { endedReturnCookie, returnPath } from './sign-in-return.ts';
import { signOut } from './sign-out.ts';

export interface SignInRoutesDeps extends SendSignInLinkDeps, IdentityDeps {
  readonly openStreams: OpenStreams;
}

const NO_LINK = 'Sign-in link not valid';

type Routes = Pick<Handlers, 'requestMagicLink' | 'showMagicLink' | 'confirmMagicLink' | 'makeAccessToken'>;

/** Sign-up and sign-in by a link in a mail (reference 1, decisions 34 and 44). */
export function signInRoutes(deps: SignInRoutesDeps, parts: SignInParts): Routes {
  const { hubUrl } = deps.settings;
  const ports = { ...deps, ...deps.settings, ...parts };
  const sessionFor = async (request: Request, userId: string) => {
    const { member } = await ownMembership(deps, userId);
    return makeSession(deps, member, sourceOf(deps, request, member));
  };
  return {
    async requestMagicLink({ request, body: { email } }) {
      limitSignInsFrom(deps, request);
      await sendSignInLink(deps, parts, email);
      return { message: 'if the address may sign in, a link is on its way to it' };
    },
    showMagicLink: ({ parameters: { token } }) =>
      onPage(NO_LINK, async () => {
        const { email } = await findSignInLink(ports, token);
        return confirmSignInPage(hubUrl, email);
      }),
    confirmMagicLink: ({ request, parameters: { token } }) =>
      onPage(NO_LINK, async () => {
        // A page of another site cannot sign a visitor in as somebody else.
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(deps, request);
        const user = await confirmSignIn(ports, token, originOf(deps, request));
        const session = await sessionFor(request, user.id);
        await endReplaced(deps, request);
        return welcome(request, hubUrl, session.token);
      }),
    async makeAccessToken({ request, body: { token } }) {
      limitSignInsFrom(deps, request);
      const userId =
        token === undefined
          ? (await signedIn(deps, request, ['session']))?.userId
          : (await confirmSignIn(ports, token, originOf(deps, request))).id;
      if (userId === undefined)
        throw refuse('unauthorized', 'the token of a sign-in link, or a session, is needed');
      const member = await memberOfRequest(deps, request, userId);
      const made = await makeAccessToken(deps, member, sourceOf(deps, request, member));
      return { access_token: made.token, expires_in: ACCESS_TOKEN_MS / 1000 };
    },
  };
}

/** A browser has one session, so a new sign-in replaces the previous one. */
async function endReplaced(deps: SignInRoutesDeps, request: Request): Promise<void> {
  const replaced = await sessionToReplace(deps, request);
  if (replaced === undefined) return;
  const { member } = await ownMembership(deps, replaced.userId);
  await signOut(deps, replaced, member, sourceOf(deps, request, member));
}

/** Redirects to the page that required the sign-in, else to the dashboard. */
function welcome(request: Request, hubUrl: string, token: string): Response {
  const path = returnPath(request, hubUrl);
  const response = new Response(null, {
    status: 303,
    headers: { Location: path ?? '/dashboard', 'Cache-Control': 'no-store' },
  });
  response.headers.append('Set-Cookie', sessionCookie(hubUrl, token));
  if (path !== undefined) response.headers.append('Set-Cookie', endedReturnCookie(hubUrl));
  return response;
}
