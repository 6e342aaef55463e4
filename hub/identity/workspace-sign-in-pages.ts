import { shownAddress } from '@svc/core/text/shown-address';
import type { Workspace } from '../accounts/account-ports.ts';
import { html } from '../platform/pages/html.ts';
import { formPolicy, page } from '../platform/pages/page.ts';

// Links lead to providers, and never forms: browsers refuse a form that is redirected to another site.

const TITLE = 'Sign in to a workspace';

/** Asks for the workspace; `to` is the path to open after the sign-in. */
export function choicePage(hubUrl: string, to: string): Response {
  const body = html`<form method="get" action="/login/workspace"><input type="hidden" name="to" value="${to}">
<label>Username of the workspace <input name="name" required autofocus autocapitalize="none" spellcheck="false" maxlength="39"></label>
<button>Continue</button></form>
<p><a href="/login">Sign in in another way</a></p>`;
  return page(TITLE, body, 200, formPolicy(hubUrl));
}

/** Leads to the provider of the workspace. */
export function startPage({ username = '' }: Workspace, providerName: string, to: string): Response {
  const query = to === '' ? '' : `?to=${encodeURIComponent(to)}`;
  const body = html`<p>The workspace <b>${username}</b> has its own sign-in.</p>
<p><a class="button" href="/login/workspace/${username}${query}">Continue with ${providerName}</a></p>
<p><a href="/login">Sign in in another way</a></p>`;
  return page(TITLE, body);
}

interface LinkPage {
  readonly hubUrl: string;
  readonly username: string;
  readonly providerName: string;
  /** The address that the provider gave. */
  readonly email: string;
  /** The account of this browser; undefined: it is not signed in. */
  readonly signedInAs: string | undefined;
}

/** Asks a person to link their sign-in to their account, or first to sign in to it by mail. */
export function linkPage({ hubUrl, username, providerName, email, signedInAs }: LinkPage): Response {
  const who = html`<p>${providerName} knows you as <b>${shownAddress(email)}</b>. This sign-in is not linked to an account yet.</p>`;
  const body =
    signedInAs === undefined
      ? html`${who}<p>Confirm the address once: we mail you a link. Open it in this browser.</p>
<form method="post" action="/login"><input type="hidden" name="to" value="/login/workspace/${username}/link">
<input type="hidden" name="email" value="${email}"><button autofocus>Email me a link</button></form>`
      : html`${who}<p>${providerName} can then sign you in to the workspace <b>${username}</b> as <b>${shownAddress(signedInAs)}</b>, and to nothing else.</p>
<form method="post" action="/login/workspace/${username}/link"><button autofocus>Link ${providerName}</button></form>`;
  return page('Link your sign-in', body, 200, formPolicy(hubUrl));
}

export function linkedPage(username: string, providerName: string): Response {
  const body = html`<p>From now on you sign in to the workspace <b>${username}</b> at ${providerName}.</p>
<p><a class="button" href="/login/workspace/${username}">Continue with ${providerName}</a></p>`;
  return page('Your sign-in is linked', body);
}
