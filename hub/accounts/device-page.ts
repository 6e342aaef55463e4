import { escapeHtml } from '@svc/core/html/escape-html';
import { shownAddress } from '@svc/core/text/shown-address';
import { page } from '../platform/pages/page.ts';
import type { Workspace } from './account-ports.ts';

const TITLE = 'Connect a program';

/** The browser sends the origin with forms of these pages, which tells them apart from forms of other sites (decision 34). */
const HEADERS = { 'Referrer-Policy': 'same-origin' } as const;

/** The page for a visitor who has not signed in. The mailed link leads back here. */
export function signInFirstPage(userCode: string): Response {
  return devicePage(
    TITLE,
    '<p>Sign in first: a link comes by mail.</p>' +
      '<form method="post" action="/device/sign-in">' +
      `<input type="hidden" name="user_code" value="${escapeHtml(userCode)}">` +
      '<label>E-mail <input type="email" name="email" required autocomplete="email"></label>' +
      '<button>Send the link</button></form>',
    401,
  );
}

export function linkSentPage(): Response {
  return devicePage(
    'Look into your mail',
    '<p>If the address may sign in, a link is on its way to it. Open it in this browser: it leads back to your program.</p>',
    202,
  );
}

/** `problem`: why the previous code was refused. */
export function enterCodePage(problem?: { readonly message: string; readonly status: number }): Response {
  const told = problem === undefined ? '' : `<p role="alert">${escapeHtml(problem.message)}.</p>`;
  return devicePage(
    TITLE,
    `${told}<p>Enter the code that the program shows.</p>` +
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

/** Shows what the person would approve; only the form decides. */
export function confirmPage({ userCode, clientName, email, workspaces }: Confirmation): Response {
  const who =
    clientName === undefined ? 'A program' : `A program that calls itself <b>${escapeHtml(clientName)}</b>`;
  return devicePage(
    'Connect this program?',
    `<p>${who} wants to act as <b>${escapeHtml(shownAddress(email))}</b> and shows the code <b>${escapeHtml(userCode)}</b>.</p>` +
      '<p>Agree only if you started it yourself just now and it shows the same code.</p>' +
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
    : devicePage('Refused', '<p>You have denied the request. You can close this page.</p>');
}

/** Offers a choice of workspaces only when there are several. */
function workspaceField(workspaces: readonly Workspace[]): string {
  const [only] = workspaces;
  if (workspaces.length <= 1)
    return `<input type="hidden" name="workspace" value="${escapeHtml(only?.id ?? '')}">`;
  const options = workspaces.map(
    ({ id, username }) =>
      `<option value="${escapeHtml(id)}">${escapeHtml(username ?? 'without a username')}</option>`,
  );
  return `<label>Workspace <select name="workspace">${options.join('')}</select></label>`;
}

function devicePage(title: string, body: string, status = 200): Response {
  return page(title, body, status, HEADERS);
}
