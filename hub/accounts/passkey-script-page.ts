import { type Html, html } from '../platform/pages/html.ts';

/**
 * The form that `PASSKEY_SCRIPT` shows, fills and sends. Without scripts the form stays hidden, and people use the rest of the page.
 *
 * @param action where the form is sent; the challenge comes from `{action}/challenge`
 */
export function passkeyForm(action: string, label: string, isMain = false): Html {
  const other = isMain ? undefined : html` class="other"`;
  return html`<form id="passkey" method="post" action="${action}" data-challenge="${action}/challenge" hidden>
<input type="hidden" name="to"><input type="hidden" name="id"><input type="hidden" name="client_data"><input type="hidden" name="authenticator_data">
<input type="hidden" name="signature"><input type="hidden" name="user_handle">
<button${other}>${label}</button><p class="note" role="status"></p></form>`;
}

/** Asks the hub for a challenge and the browser for the passkey, then sends the form. */
export const PASSKEY_SCRIPT = `(() => {
const form = document.getElementById('passkey');
if (!form || !window.PublicKeyCredential) return;
const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const status = form.querySelector('[role=status]');
form.hidden = false;
form.addEventListener('submit', async (event) => {
event.preventDefault();
status.textContent = '';
try {
const answer = await fetch(form.dataset.challenge, { method: 'POST' });
const begun = await answer.json();
if (!answer.ok) throw new Error(begun.message);
const allowCredentials = (begun.allow ?? []).map((id) => ({ type: 'public-key', id: bytes(id) }));
const publicKey = { challenge: bytes(begun.challenge), rpId: begun.rp_id, userVerification: 'required', allowCredentials };
const { id, response } = await navigator.credentials.get({ publicKey });
const set = (name, value) => { form.elements.namedItem(name).value = value; };
set('to', document.querySelector('input[name=to]').value);
set('id', id);
set('client_data', text(response.clientDataJSON));
set('authenticator_data', text(response.authenticatorData));
set('signature', text(response.signature));
set('user_handle', text(response.userHandle ?? new ArrayBuffer(0)));
form.submit();
} catch (error) {
status.textContent = error.name === 'NotAllowedError' ? 'No passkey was used.' : String(error.message);
}
});
})();`;
