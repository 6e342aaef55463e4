import { escapeHtml } from '@svc/core/html/escape-html';
import { shownAddress } from '@svc/core/text/shown-address';
import { formPolicy, page } from '../platform/pages/page.ts';

export const SIGN_IN = 'Sign in to svc';

/** Asks for an email address; `to` is the path to open after the sign-in. */
export function signInPage(hubUrl: string, to: string): Response {
  const form =
    '<form method="post" action="/login">' +
    `<input type="hidden" name="to" value="${escapeHtml(to)}">` +
    '<label>Email <input type="email" name="email" required autofocus autocomplete="email"></label>' +
    '<button>Email me a link</button></form>';
  const note = '<p class="note">No password needed. The link works for 15 minutes.</p>';
  return page(SIGN_IN, form + note, 200, formPolicy(hubUrl));
}

export function signInSentPage(): Response {
  const body =
    '<p>If this address can sign in, we sent it a link. Open the link in this browser within 15 minutes.</p>' +
    '<p><a href="/login">Use another address</a></p>';
  return page('Check your email', body, 202);
}

/** The page of the link in the mail. Link scanners open it too, so only its form signs in (decision 34, link pages). */
export function confirmSignInPage(hubUrl: string, email: string): Response {
  const body = `<p>You are signing in as <b>${escapeHtml(shownAddress(email))}</b>.</p>`;
  const form = '<form method="post"><button autofocus>Sign in</button></form>';
  return page(SIGN_IN, body + form, 200, formPolicy(hubUrl));
}
