import { confirmedAtMs, type EmailChange } from '@svc/core/account/email-change';
import { shownAddress } from '@svc/core/text/shown-address';
import { type Html, html } from '../platform/pages/html.ts';
import { formPolicy, page } from '../platform/pages/page.ts';
import type { EmailConfirmation, OpenedEmailLink } from './change-email.ts';

const TITLE = 'Change of address';

/** The page of a link in a mail; only its form confirms or stops the change. `token` is that of the link. */
export function emailLinkPage(hubUrl: string, token: string, { change, side }: OpenedEmailLink): Response {
  const at = confirmedAtMs(change, side);
  const confirm =
    at === undefined
      ? html`<button name="decision" value="confirm">Confirm the change</button>`
      : html`<p>You confirmed this at ${new Date(at).toISOString()}. The other address has not confirmed yet.</p>`;
  const stop =
    side === 'old'
      ? html`<button class="deny" name="decision" value="stop">This was not me: stop the change</button>`
      : undefined;
  const body = html`<p>The account of <b>${shownAddress(change.fromEmail)}</b> gets the address <b>${shownAddress(change.toEmail)}</b> when both addresses have confirmed.</p>
${whatStays(change)}
<form method="post" action="/auth/email-change/${token}">${confirm}${stop}</form>`;
  return page(TITLE, body, 200, formPolicy(hubUrl));
}

/** The places that keep the old address. Some are in files on other machines, so the hub cannot list them one by one. */
function whatStays({ fromEmail }: EmailChange): Html {
  return html`<p>These do not follow the change. They keep <b>${shownAddress(fromEmail)}</b> until somebody changes them:</p>
<ul><li>alerts that go to this address,</li><li><code>approvers</code> of endpoints,</li><li>operators in the configuration of the hub.</li></ul>
<p>Invitations to this address are withdrawn.</p>`;
}

/** Asks for a sign-in first: a mailbox alone must not give its address to the account of another person. */
export function signInForEmailPage(hubUrl: string, token: string, { change }: OpenedEmailLink): Response {
  const to = encodeURIComponent(`/auth/email-change/${token}`);
  const body = html`<p>The account of <b>${shownAddress(change.fromEmail)}</b> wants to have the address <b>${shownAddress(change.toEmail)}</b>.</p>
<p>If it is yours, sign in to it, and open this link again in the same browser. If it is not, close this page: nothing changes.</p>
<p><a class="button" href="/login?to=${to}">Sign in as ${shownAddress(change.fromEmail)}</a></p>`;
  return page(TITLE, body, 401, formPolicy(hubUrl));
}

export function emailConfirmedPage({ outcome, change }: EmailConfirmation): Response {
  const [from, to] = [shownAddress(change.fromEmail), shownAddress(change.toEmail)];
  switch (outcome) {
    case 'waits':
      return page(
        'Confirmed',
        html`<p>The address changes when the other address has confirmed, too. That address got a mail with its own link.</p>`,
      );
    case 'changed':
      return page(
        'Address changed',
        html`<p>Your address was <b>${from}</b> and is <b>${to}</b> now. Sign in with it from now on.</p>
${whatStays(change)}
<p><a href="/dashboard/settings">Open the settings</a></p>`,
      );
    case 'failed':
      return page(
        'Address not changed',
        html`<p>The change is no longer possible. A mail to <b>${to}</b> says why.</p>`,
        409,
      );
  }
}

export function emailStoppedPage(): Response {
  return page(
    'Change stopped',
    html`<p>The address stays as it is, and both links have ended.</p>
<p>If you did not ask for the change, somebody else is signed in to your account. <a href="/login?to=/dashboard/settings">Sign in</a>, choose <b>Sign out everywhere</b>, and look at your passkeys, linked sign-ins and access tokens.</p>`,
  );
}
