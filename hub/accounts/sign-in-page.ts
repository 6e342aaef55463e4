import { requestTarget } from '@svc/core/api/request-target';
import type { Handlers } from '../http/handler.ts';
import { refuseForeignForm } from '../http/identity.ts';
import { onPage } from '../platform/pages/on-page.ts';
import { readForm } from '../platform/pages/read-form.ts';

import { type SendSignInLinkDeps, type SignInParts, sendSignInLink } from './send-sign-in-link.ts';
import { limitSignInsFrom } from './sign-in-limit.ts';
import { SIGN_IN, signInPage, signInSentPage } from './sign-in-pages.ts';
import { returnCookie } from './sign-in-return.ts';

type Routes = Pick<Handlers, 'showSignIn' | 'requestSignIn'>;

/** The sign-in page; it works without scripts. */
export function signInPageRoutes(deps: SendSignInLinkDeps, parts: SignInParts): Routes {
  const { hubUrl } = deps.settings;
  return {
    showSignIn({ request }) {
      const { query } = requestTarget(request.url);
      return signInPage(hubUrl, new URLSearchParams(query).get('to') ?? '');
    },
    requestSignIn: ({ request }) =>
      onPage(SIGN_IN, async () => {
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(deps, request);
        const form = await readForm(request);
        await sendSignInLink(deps, parts, form.get('email') ?? '');
        const response = signInSentPage();
        const cookie = returnCookie(hubUrl, 'dashboard', form.get('to') ?? '');
        if (cookie !== undefined) response.headers.set('Set-Cookie', cookie);
        return response;
      }),
  };
}
