import { REFUSAL_STATUS } from '@svc/core/api/refusal-status';
import type { Plan } from '@svc/core/plan/plans';
import { Refusal, refuse } from '@svc/core/refusal';
import { z } from 'zod';
import type { LinkTokens } from '../../engine/account/link-token.ts';
import { ACCESS_TOKEN_MS, makeAccessToken, makeSession } from '../../engine/account/make-tokens.ts';
import { ownMembership } from '../../engine/account/own-member.ts';
import { confirmSignIn, findSignInLink, requestSignIn } from '../../engine/account/sign-in.ts';
import type { OutgoingMail } from '../../engine/ports/accounts.ts';
import type { HubContext } from '../context.ts';
import { objectResponse } from '../json-response.ts';
import { escapeHtml, page } from '../pages/page.ts';
import type { Handlers } from '../routes/handler.ts';
import { signedIn } from '../routes/identity.ts';
import { readObject } from '../routes/read-object.ts';
import { sessionCookie } from '../routes/session-cookie.ts';

/** Per minute, from one address and for one e-mail (decision 26). */
const SIGN_INS_PER_MINUTE = 10;

const wanted = z.strictObject({ email: z.string({ error: 'an e-mail address expected' }) });
const exchanged = z.strictObject({ token: z.string().optional() });

type Routes = Pick<Handlers, 'requestMagicLink' | 'showMagicLink' | 'confirmMagicLink' | 'makeAccessToken'>;

export interface SignInParts {
  readonly tokens: LinkTokens;
  readonly defaultPlan: Plan;
  /** A mail waits in the outbox. */
  readonly onMail: (mail: OutgoingMail) => void;
}

/** Sign-up and sign-in by a link in a mail (reference 1, decisions 34 and 44). */
export function signInRoutes(context: HubContext, { tokens, defaultPlan, onMail }: SignInParts): Routes {
  const { signup, operators, hubUrl, rates } = context.settings;
  const ports = { ...context, tokens, defaultPlan, hubUrl, signup, operators };
  const limit = (who: string) => {
    if (rates.signIn !== 'off') context.limiter.take(who, rates.signIn ?? SIGN_INS_PER_MINUTE);
  };
  const sessionFor = async (userId: string) =>
    makeSession(context, (await ownMembership(context, userId)).member);
  return {
    async requestMagicLink({ request }) {
      limit(`sign-in address:${context.addressOf(request)}`);
      const { email } = await readObject(request, wanted);
      limit(`sign-in email:${email.toLowerCase()}`);
      const { sent } = await requestSignIn(ports, email);
      if (sent !== undefined) onMail(sent);
      return objectResponse({ message: 'if the address may sign in, a link is on its way to it' }, 202);
    },
    showMagicLink: ({ parameters: { token } }) =>
      onPage(async () => {
        const { email } = await findSignInLink(ports, token);
        const button = '<form method="post"><button>Sign in</button></form>';
        return page('Sign in to svc', `<p>You are signing in as <b>${escapeHtml(email)}</b>.</p>${button}`);
      }),
    confirmMagicLink: ({ request, parameters: { token } }) =>
      onPage(async () => {
        limit(`sign-in address:${context.addressOf(request)}`);
        const user = await confirmSignIn(ports, token);
        const session = await sessionFor(user.id);
        const headers = { 'Set-Cookie': sessionCookie(hubUrl, session.token) };
        return page('You are signed in', `<p>Welcome, <b>${escapeHtml(user.email)}</b>.</p>`, 200, headers);
      }),
    async makeAccessToken({ request }) {
      limit(`sign-in address:${context.addressOf(request)}`);
      const { token } = await readObject(request, exchanged);
      const userId =
        token === undefined
          ? (await signedIn(context, request, ['session']))?.userId
          : (await confirmSignIn(ports, token)).id;
      if (userId === undefined)
        throw refuse('unauthorized', 'the token of a sign-in link, or a session, is needed');
      const { member } = await ownMembership(context, userId);
      const made = await makeAccessToken(context, member);
      return objectResponse({ access_token: made.token, expires_in: ACCESS_TOKEN_MS / 1000 });
    },
  };
}

/** A person who followed a link is told on a page why it leads nowhere. */
async function onPage(show: () => Promise<Response>): Promise<Response> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return page(
      'This link does not work',
      `<p>${escapeHtml(error.message)}.</p>`,
      REFUSAL_STATUS[error.code],
    );
  }
}
