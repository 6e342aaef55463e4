import { escapeHtml } from '@svc/core/html/escape-html';
import { shownAddress } from '@svc/core/text/shown-address';
import { page } from '../platform/pages/page.ts';
import type { Workspace } from './account-ports.ts';

const TITLE = 'Connect a program';

/** Browsers then send the origin of these forms, so that the hub can refuse forms of other sites (decision 34, link pages). */
const HEADERS = { 'Referrer-Policy': 'same-origin' } as const;

/** Asks to sign in first; the mailed link leads back here. */
export function signInFirstPage(userCode: string): Response {
  return devicePage(
    TITLE,
    "<p>Sign in to continue. We'll email you a link.</p>" +
      '<form method="post" action="/device/sign-in">' +
      `<input type="hidden" name="user_code" value="${escapeHtml(userCode)}">` +
      '<label>Email <input type="email" name="email" required autocomplete="email"></label>' +
      '<button>Email me a link</button></form>',
    401,
  );
}

export function linkSentPage(): Response {
  return devicePage(
    'Check your email',
    '<p>If this address can sign in, we sent it a link. Open the link in this browser to return here.</p>',
    202,
  );
}

/** `problem` is the refusal of the previous code. */
export function enterCodePage(problem?: { readonly message: string; readonly status: number }): Response {
  const alert = problem === undefined ? '' : `<p role="alert">${escapeHtml(problem.message)}.</p>`;
  return devicePage(
    TITLE,
    `${alert}<p>Enter the code that the program shows.</p>` +
      '<form method="get" action="/device">' +
      '<label>Code <input name="user_code" required autocomplete="off" autocapitalize="characters" size="10"></label>' +
      '<button>Continue</button></form>',
    problem?.status,
  );
}

export interface Confirmation {
  readonly userCode: string;
  readonly clientName: string | undefined;
  readonly email: string;
  readonly workspaces: readonly Workspace[];
}

/** Shows the request of the program; only the form decides. */
export function confirmPage({ userCode, clientName, email, workspaces }: Confirmation): Response {
  const who =
    clientName === undefined ? 'A program' : `A program that calls itself <b>${escapeHtml(clientName)}</b>`;
  return devicePage(
    'Connect this program?',
    `<p>${who} wants to act as <b>${escapeHtml(shownAddress(email))}</b> and shows the code <b>${escapeHtml(userCode)}</b>.</p>` +
      '<p>Connect only if you just started this program yourself and it shows the same code.</p>' +
      '<form method="post" action="/device">' +
      `<input type="hidden" name="user_code" value="${escapeHtml(userCode)}">` +
      workspaceField(workspaces) +
      '<button name="decision" value="approve">Connect</button> ' +
      '<button class="other" name="decision" value="deny">Refuse</button></form>',
  );
}

export function decidedPage(decision: 'approved' | 'denied'): Response {
  return decision === 'approved'
    ? devicePage('Connected', '<p>The program is signed in. You can close this page.</p>')
    : devicePage('Refused', '<p>The program is not signed in. You can close this page.</p>');
}

/** A drop-down list for several workspaces, a hidden field for one. */
function workspaceField(workspaces: readonly Workspace[]): string {
  const [only] = workspaces;
  if (workspaces.length <= 1)
    return `<input type="hidden" name="workspace" value="${escapeHtml(only?.id ?? '')}">`;
  const options = workspaces.map(
    ({ id, username }) => `<option value="${escapeHtml(id)}">${escapeHtml(username ?? 'Personal')}</option>`,
  );
  return `<label>Workspace <select name="workspace">${options.join('')}</select></label>`;
}

function devicePage(title: string, body: string, status = 200): Response {
  return page(title, body, status, HEADERS);
}
