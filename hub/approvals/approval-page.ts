import { type Approval, type ApprovalClosing, approvalState } from '@svc/core/approval/approval';
import type { Decider, MayDecide } from '@svc/core/approval/may-decide';
import { shownCommand, shownValues } from '@svc/core/approval/shown-command';
import { type CodeNotice, codeNotices } from '@svc/core/endpoint/explain';
import { escapeHtml } from '@svc/core/html/escape-html';
import { withShownAddresses } from '@svc/core/text/shown-address';
import { visibleText } from '@svc/core/text/visible-text';
import { formPolicy, styledPage } from '../platform/pages/page.ts';
import { commandHtml, valueHtml } from './approval-page-command.ts';
import { APPROVE_STYLE } from './approval-page-style.ts';
import type { PendingCallRecord } from './pending-call.ts';

export const NO_APPROVAL = 'This link leads nowhere';

/** A pending call as its page shows it. */
export interface ApprovePage {
  readonly held: PendingCallRecord;
  readonly token: string;
  /** Proves that a decision comes from this page. */
  readonly nonce: string;
  readonly hubUrl: string;
  readonly nowMs: number;
  readonly by: Decider;
  readonly mayDecide: MayDecide;
  /** Why the call cannot be approved any more; undefined: it can. */
  readonly stale: string | undefined;
}

/** Shows what will run; only its form decides (decision 34). */
export function approvePage(about: ApprovePage, status = 200): Response {
  const { held, nowMs, hubUrl } = about;
  const { approval } = held;
  const left = leftText(approval.expiresAtMs - nowMs);
  const until = `<time datetime="${new Date(approval.expiresAtMs).toISOString()}">${timeText(approval.expiresAtMs)}</time>`;
  const state = `<p class="state waiting">◇ Waiting for approval: ${left} left, until ${until}</p>`;
  return shown(`Run ${approval.slug}?`, state, held, decideHtml(about), status, formPolicy(hubUrl));
}

/** Shows who closed the approval, and when. */
export function closedPage(held: PendingCallRecord, nowMs: number, status: 200 | 410): Response {
  const { approval } = held;
  const state = approvalState(approval, nowMs);
  const told = `<p class="state ${state}">${closedText(approval)}</p>`;
  const comment = approval.closing?.comment;
  const said = comment === undefined ? '' : `<p>“${escapeHtml(visibleText(comment))}”</p>`;
  const note = status === 410 ? '<p class="note">This link decides nothing any more.</p>' : '';
  return shown(TITLES[state], told + said + note, held, '', status);
}

export function signInLinkSentPage(): Response {
  const body =
    '<h1>Look into your mail</h1><p>If the address may sign in, a link is on its way to it. Open it in this browser: it leads back to the call.</p>';
  return styledPage({ title: 'Look into your mail', body, style: APPROVE_STYLE }, 202);
}

const TITLES = {
  pending: 'It waits',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
} as const;

function shown(
  title: string,
  state: string,
  held: PendingCallRecord,
  decide: string,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { endpoint, values } = held;
  const command =
    endpoint === undefined
      ? '<p>The command cannot be shown any more.</p>'
      : commandHtml(shownCommand(endpoint, values));
  const all = endpoint === undefined ? [] : shownValues(endpoint, values);
  const notices = endpoint === undefined ? [] : codeNotices(endpoint);
  const explained = all.length === 0 ? '' : `<p class="note">${VALUES_SET_APART}</p>`;
  const body = [
    `<h1>${escapeHtml(title)}</h1>${state}`,
    `<h2>What ${decide === '' ? 'was asked for' : 'will run'}</h2>${notices.map(codeHtml).join('')}${command}${explained}`,
    factsHtml(held),
    decide,
    ...all.map(valueHtml),
  ].join('\n');
  return styledPage({ title, body, style: APPROVE_STYLE }, status, headers);
}

const VALUES_SET_APART =
  'The values of this call are marked. svc makes no program text from them: each reaches its program in one piece, as shown.';

/** Stands above the command, because it changes what approving means. */
function codeHtml({ argument, message }: CodeNotice): string {
  return `<p class="code" role="alert"><code>${escapeHtml(argument)}</code>: ${escapeHtml(message)}</p>`;
}

function factsHtml({ approval, execution }: PendingCallRecord): string {
  const facts = {
    Endpoint: `<code>${escapeHtml(approval.slug)}</code>`,
    'Asked for by': escapeHtml(visibleText(withShownAddresses(approval.requestedBy))),
    At: timeText(approval.createdAtMs),
    'Runs on': `agent <code>${escapeHtml(visibleText(approval.agentName))}</code>, for at most ${execution.timeoutSec} s`,
    Execution: `<code>${escapeHtml(execution.id)}</code>`,
  };
  const rows = Object.entries(facts).map(([name, text]) => `<dt>${name}</dt><dd>${text}</dd>`);
  return `<dl class="facts">${rows.join('')}</dl>`;
}

function decideHtml(about: ApprovePage): string {
  switch (about.mayDecide) {
    case 'yes':
      return formHtml(about);
    case 'sign_in':
      return signInHtml(about);
    case 'not_approver':
      return `<p role="alert">${asWhom(about)}This endpoint lets others decide.</p>`;
    case 'own_call':
      return `<p role="alert">${asWhom(about)}You have made this call: somebody else has to decide.</p>`;
    case 'unknown_caller':
      return '<p role="alert">The caller is not known, and this endpoint needs the approval of another person than the caller.</p>';
  }
}

function formHtml(about: ApprovePage): string {
  const { token, nonce, stale, held } = about;
  const approve =
    stale === undefined && held.endpoint?.approverKeys !== undefined
      ? `<div><p>This endpoint accepts only signed approvals: <code>svc approvals approve ${escapeHtml(held.approval.id)}</code></p></div>`
      : stale === undefined
        ? '<div><button name="decision" value="approve">Approve and run</button><p class="note">It starts at once, as shown.</p></div>'
        : `<div><p role="alert">${escapeHtml(stale)}.</p></div>`;
  return [
    `<form method="post" action="/approve/${escapeHtml(token)}">`,
    `<input type="hidden" name="nonce" value="${escapeHtml(nonce)}">`,
    `<p>${asWhom(about)}</p>`,
    // A text area: Enter in a single line would press the first button.
    '<label>Comment, if you like<textarea name="comment" rows="2" maxlength="500"></textarea></label>',
    `<div class="decide">${approve}`,
    '<div><button class="deny" name="decision" value="deny">Deny</button><p class="note">Nothing runs. The caller is told.</p></div>',
    '</div></form>',
  ].join('');
}

/** The caller has the link too, so the link alone only shows the call (decision 36, who may decide). */
function signInHtml({ token }: ApprovePage): string {
  return [
    '<p>Only members decide on calls of this endpoint. Sign in first: a link comes by mail.</p>',
    `<form method="post" action="/approve/${escapeHtml(token)}/sign-in">`,
    '<label>E-mail<input type="email" name="email" required autocomplete="email"></label>',
    '<p><button>Send the link</button></p></form>',
  ].join('');
}

function asWhom({ by }: ApprovePage): string {
  return by.kind === 'link'
    ? ''
    : `You are signed in as ${escapeHtml(visibleText(withShownAddresses(by.email)))}. `;
}

function closedText({ closing, expiresAtMs }: Pick<Approval, 'closing' | 'expiresAtMs'>): string {
  if (closing === undefined || closing.reason === 'timed_out')
    return `○ Nobody decided in time: it expired at ${timeText(expiresAtMs)}`;
  return `${wordsOf(closing)} by ${escapeHtml(visibleText(withShownAddresses(closing.by.name)))} at ${timeText(closing.atMs)}`;
}

function wordsOf({ state, reason }: ApprovalClosing): string {
  if (reason === 'cancelled') return '■ Cancelled';
  if (reason === 'stale') return '○ Not as it was shown any more when it was to be approved';
  return state === 'approved' ? '✓ Approved' : '⊘ Denied';
}

function timeText(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function leftText(leftMs: number): string {
  const minutes = Math.floor(leftMs / 60_000);
  if (minutes < 1) return 'less than a minute';
  if (minutes < 120) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.floor(hours / 24)} days`;
}
