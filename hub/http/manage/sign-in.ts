import { refuse } from '@svc/core/refusal';
import { ACCESS_TOKEN_MS, makeAccessToken, makeSession } from '../../engine/account/make-tokens.ts';
import { ownMembership } from '../../engine/account/own-member.ts';
import { confirmSignIn, findSignInLink } from '../../engine/account/sign-in.ts';
import { signOut } from '../../engine/account/sign-out.ts';
import type { HubContext } from '../context.ts';
import { onPage } from '../pages/on-page.ts';
import { confirmSignInPage } from '../pages/sign-in-pages.ts';
import { originOf, sourceOf } from '../routes/audit-source.ts';
import type { Handlers } from '../routes/handler.ts';
import { memberOfRequest, refuseForeignForm, sessionToReplace, signedIn } from '../routes/identity.ts';
import { sessionCookie } from '../routes/session-cookie.ts';
import { type SignInParts, sendSignInLink } from './send-sign-in-link.ts';
import { limitSignInsFrom } from './sign-in-limit.ts';
import { endedReturnCookie, returnPath } from './sign-in-return.ts';

const NO_LINK = 'This link does not work';

type Routes = Pick<Handlers, 'requestMagicLink' | 'showMagicLink' | 'confirmMagicLink' | 'makeAccessToken'>;

/** Sign-up and sign-in by a link in a mail (reference 1, decisions 34 and 44). */
export function signInRoutes(context: HubContext, parts: SignInParts): Routes {
  const { hubUrl } = context.settings;
  const ports = { ...context, ...context.settings, ...parts };
  const sessionFor = async (request: Request, userId: string) => {
    const { member } = await ownMembership(context, userId);
    return makeSession(context, member, sourceOf(context, request, member));
  };
  return {
    async requestMagicLink({ request, body: { email } }) {
      limitSignInsFrom(context, request);
      await sendSignInLink(context, parts, email);
      return { message: 'if the address may sign in, a link is on its way to it' };
    },
    showMagicLink: ({ parameters: { token } }) =>
      onPage(NO_LINK, async () => {
        const { email } = await findSignInLink(ports, token);
        return confirmSignInPage(hubUrl, email);
      }),
    confirmMagicLink: ({ request, parameters: { token } }) =>
      onPage(NO_LINK, async () => {
        // Nobody is signed in as somebody else by a page of another site.
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(context, request);
        const user = await confirmSignIn(ports, token, originOf(context, request));
        const session = await sessionFor(request, user.id);
        await endReplaced(context, request);
        return welcome(request, hubUrl, session.token);
      }),
    async makeAccessToken({ request, body: { token } }) {
      limitSignInsFrom(context, request);
      const userId =
        token === undefined
          ? (await signedIn(context, request, ['session']))?.userId
          : (await confirmSignIn(ports, token, originOf(context, request))).id;
      if (userId === undefined)
        throw refuse('unauthorized', 'the token of a sign-in link, or a session, is needed');
      const member = await memberOfRequest(context, request, userId);
      const made = await makeAccessToken(context, member, sourceOf(context, request, member));
      return { access_token: made.token, expires_in: ACCESS_TOKEN_MS / 1000 };
    },
  };
}

/** A browser has one session: that of whoever signed in last. */
async function endReplaced(context: HubContext, request: Request): Promise<void> {
  const replaced = await sessionToReplace(context, request);
  if (replaced === undefined) return;
  const { member } = await ownMembership(context, replaced.userId);
  await signOut(context, replaced, member, sourceOf(context, request, member));
}

/** Whoever had to sign in on the way to something goes on there, everybody else to the dashboard. */
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
