import { requestTarget } from '@svc/core/api/request-target';
import type { HubContext } from '../context.ts';
import { onPage } from '../pages/on-page.ts';
import { readForm } from '../pages/read-form.ts';
import { SIGN_IN, signInPage, signInSentPage } from '../pages/sign-in-pages.ts';
import type { Handlers } from '../routes/handler.ts';
import { refuseForeignForm } from '../routes/identity.ts';
import { type SignInParts, sendSignInLink } from './send-sign-in-link.ts';
import { limitSignInsFrom } from './sign-in-limit.ts';
import { returnCookie } from './sign-in-return.ts';

type Routes = Pick<Handlers, 'showSignIn' | 'requestSignIn'>;

/** The page on which people sign in; it works without scripts. */
export function signInPageRoutes(context: HubContext, parts: SignInParts): Routes {
  const { hubUrl } = context.settings;
  return {
    showSignIn({ request }) {
      const { query } = requestTarget(request.url);
      return signInPage(hubUrl, new URLSearchParams(query).get('to') ?? '');
    },
    requestSignIn: ({ request }) =>
      onPage(SIGN_IN, async () => {
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(context, request);
        const form = await readForm(request);
        await sendSignInLink(context, parts, form.get('email') ?? '');
        const response = signInSentPage();
        const cookie = returnCookie(hubUrl, 'dashboard', form.get('to') ?? '');
        if (cookie !== undefined) response.headers.set('Set-Cookie', cookie);
        return response;
      }),
  };
}
