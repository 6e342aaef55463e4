import { escapeHtml } from '@svc/core/html/escape-html';
import { shownAddress } from '@svc/core/text/shown-address';
import { formPolicy, page } from '../platform/pages/page.ts';

export const SIGN_IN = 'Sign in to svc';

/** Asks for an e-mail address. `to` is the page that the person opened. */
export function signInPage(hubUrl: string, to: string): Response {
  const form =
    '<form method="post" action="/login">' +
    `<input type="hidden" name="to" value="${escapeHtml(to)}">` +
    '<label>E-mail <input type="email" name="email" required autofocus autocomplete="email"></label>' +
    '<button>Mail me a link</button></form>';
  const note = '<p class="note">There is no password: a link comes by mail, and works for 15 minutes.</p>';
  return page(SIGN_IN, form + note, 200, formPolicy(hubUrl));
}

export function signInSentPage(): Response {
  const note =
    '<p>If the address may sign in, a link is on its way to it. Open it in this browser, within 15 minutes.</p>' +
    '<p><a href="/login">Use another address</a></p>';
  return page('Look into your mail', note, 202);
}

/** The page of the mailed link. Mail scanners follow links, so only its form signs in (decision 34, mailed links). */
export function confirmSignInPage(hubUrl: string, email: string): Response {
  const note = `<p>You are signing in as <b>${escapeHtml(shownAddress(email))}</b>.</p>`;
  const form = '<form method="post"><button autofocus>Sign in</button></form>';
  return page(SIGN_IN, note + form, 200, formPolicy(hubUrl));
}
