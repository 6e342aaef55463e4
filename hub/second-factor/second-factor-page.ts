import { relyingPartyOf } from '@svc/core/passkey/relying-party';
import { raw } from 'hono/html';
import { PASSKEY_SCRIPT, passkeyForm } from '../accounts/passkey-script-page.ts';
import { SECOND_FACTOR_PATH } from '../accounts/sign-in-routes.ts';
import { html } from '../platform/pages/html.ts';
import { formPolicy, mayRunScript, page } from '../platform/pages/page.ts';

/** Asks for the second factor. The form for a recovery code works without scripts; a passkey needs them. */
export function secondFactorPage(hubUrl: string, problem?: string): Response {
  const hasPasskeys = relyingPartyOf(hubUrl) !== undefined;
  const alert = problem === undefined ? undefined : html`<p role="alert">${problem}.</p>`;
  const passkey = hasPasskeys
    ? html`${passkeyForm(SECOND_FACTOR_PATH, 'Continue with a passkey', true)}<noscript><p class="note">A passkey needs scripts in the browser.</p></noscript>`
    : undefined;
  const script = hasPasskeys ? html`<script>${raw(PASSKEY_SCRIPT)}</script>` : undefined;
  const body = html`${alert}<p>Your account has a second factor.</p>${passkey}
<form method="post" action="${SECOND_FACTOR_PATH}">
<label>Recovery code <input name="code" required autocomplete="off" autocapitalize="none" spellcheck="false" maxlength="64"></label>
<button class="other">Use recovery code</button></form>
<p class="note">Each recovery code works once. If you have lost your passkeys and your codes, ask the operator of this hub.</p>
<p class="note"><a href="/login">Sign in as somebody else</a></p>${script}`;
  const response = page('Confirm your sign-in', body, problem === undefined ? 200 : 401, formPolicy(hubUrl));
  return hasPasskeys ? mayRunScript(response, PASSKEY_SCRIPT) : response;
}
