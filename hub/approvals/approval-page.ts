import { type Approval, type ApprovalClosing, approvalState } from '@svc/core/approval/approval';
import { type ClippedValue, clippedValue, fitsLine } from '@svc/core/approval/clipped-value';
import type { Decider, DecisionRules, MayDecide } from '@svc/core/approval/may-decide';
import { type CommandPart, shownCommand, shownValues } from '@svc/core/approval/shown-command';
import { type CodeNotice, codeNotices } from '@svc/core/endpoint/explain';
import { withShownAddresses } from '@svc/core/text/shown-address';
import { visiblePieces, visibleText } from '@svc/core/text/visible-text';
import { type Html, html } from '../platform/pages/html.ts';
import { formPolicy, PAGE_STYLE, styledPage } from '../platform/pages/page.ts';
import { type PendingCallRecord, withFileNames } from './pending-call.ts';

export const NO_APPROVAL = 'Approval not found';

/** A pending approval for the person who opened its link. */
export interface ApprovePage {
  readonly call: PendingCallRecord;
  readonly token: string;
  /** Proves that a decision was made on this page. */
  readonly nonce: string;
  readonly hubUrl: string;
  readonly nowMs: number;
  readonly by: Decider;
  readonly rules: DecisionRules;
  readonly mayDecide: MayDecide;
  /** Why the call can no longer be approved; undefined: it can. */
  readonly stale: string | undefined;
}

/** Shows the command; only the form decides (decision 34, links that act). */
export function approvePage(about: ApprovePage, status = 200): Response {
  const { call, nowMs, hubUrl } = about;
  const { approval } = call;
  const left = leftText(approval.expiresAtMs - nowMs);
  const until = html`<time datetime="${new Date(approval.expiresAtMs).toISOString()}">${timeText(approval.expiresAtMs)}</time>`;
  const state = html`<p class="state waiting">◇ Waiting for approval: ${left} left, until ${until}</p>`;
  return shown(`Run ${approval.slug}?`, state, call, decideHtml(about), status, formPolicy(hubUrl));
}

/** The page of a decided or expired approval. */
export function closedPage(call: PendingCallRecord, nowMs: number, status: 200 | 410): Response {
  const { approval } = call;
  const state = approvalState(approval, nowMs);
  const decision = html`<p class="state ${state}">${closedText(approval)}</p>`;
  const comment = approval.closing?.comment;
  const quote = comment === undefined ? undefined : html`<p>“${visibleText(comment)}”</p>`;
  const note = status === 410 ? html`<p class="note">This approval is closed.</p>` : undefined;
  return shown(TITLES[state], html`${decision}${quote}${note}`, call, undefined, status);
}

export function signInLinkSentPage(): Response {
  const body = html`<h1>Check your email</h1><p>If this address can sign in, we sent it a link. Open the link in this browser to return to the approval.</p>`;
  return styledPage({ title: 'Check your email', body, style: APPROVE_STYLE }, 202);
}

const TITLES = {
  pending: 'Pending',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
} as const;

function shown(
  title: string,
  state: Html,
  call: PendingCallRecord,
  decide: Html | undefined,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { endpoint } = call;
  const values = withFileNames(call);
  const command =
    endpoint === undefined
      ? html`<p>The command is no longer available.</p>`
      : commandHtml(shownCommand(endpoint, values));
  const all = endpoint === undefined ? [] : shownValues(endpoint, values);
  const notices = endpoint === undefined ? [] : codeNotices(endpoint);
  const explained = all.length === 0 ? undefined : html`<p class="note">${VALUES_SET_APART}</p>`;
  const body = html`<h1>${title}</h1>${state}
<h2>${decide === undefined ? 'Requested command' : 'Command'}</h2>${notices.map(codeHtml)}${command}${explained}
${filesHtml(call)}
${factsHtml(call)}
${decide}
${all.map(valueHtml)}`;
  return styledPage({ title, body, style: APPROVE_STYLE }, status, headers);
}

const VALUES_SET_APART =
  'The values of this call are marked. Each value reaches its program as one piece, exactly as shown; svc never makes program text from it.';

/** The warning above the command: a value of `type: code` runs as a program. */
function codeHtml({ argument, message }: CodeNotice): Html {
  return html`<p class="code" role="alert"><code>${argument}</code>: ${message}</p>`;
}

/** The files that wait with the call. Their bytes are approved, so their digests are shown. */
function filesHtml({ execution: { files = [] } }: PendingCallRecord): Html | undefined {
  if (files.length === 0) return undefined;
  const rows = files.map(
    ({ argument, name, bytes, type, sha256 }) =>
      html`<dt><code>${argument}</code></dt><dd>${name === undefined ? '' : `${visibleText(name)}, `}${bytes.toLocaleString('en-US')} bytes, ${type}<br>SHA-256 <code>${sha256}</code></dd>`,
  );
  return html`<h2>Files</h2><dl class="facts">${rows}</dl><p class="note">The command gets exactly these bytes.</p>`;
}

function factsHtml({ approval, execution }: PendingCallRecord): Html {
  const facts = {
    Endpoint: html`<code>${approval.slug}</code>${execution.endpointVersion === undefined ? '' : `, version ${execution.endpointVersion}`}`,
    'Requested by': visibleText(withShownAddresses(approval.requestedBy)),
    'Requested at': timeText(approval.createdAtMs),
    Agent: html`<code>${visibleText(approval.agentName)}</code>, timeout ${execution.timeoutSec} s`,
    Execution: html`<code>${execution.id}</code>`,
  };
  const rows = Object.entries(facts).map(([name, text]) => html`<dt>${name}</dt><dd>${text}</dd>`);
  return html`<dl class="facts">${rows}</dl>`;
}

function decideHtml(about: ApprovePage): Html {
  switch (about.mayDecide) {
    case 'yes':
      return formHtml(about);
    case 'sign_in':
      return html`${agentHtml(about)}${signInHtml(about)}`;
    case 'not_approver':
      return html`<p role="alert">${asWhom(about)}Only the approvers of this endpoint can decide.</p>`;
    case 'own_call':
      return about.rules.isFromAgent
        ? html`<p role="alert">${asWhom(about)}An AI agent made this call for you, and this endpoint requires approval by another person.</p>`
        : html`<p role="alert">${asWhom(about)}You made this call. Another person must decide.</p>`;
    case 'needs_session':
      return html`<p role="alert">${asWhom(about)}Sign in in this browser to decide.</p>`;
    case 'unknown_caller':
      return html`<p role="alert">The caller is unknown, and this endpoint requires approval by a person other than the caller.</p>`;
  }
}

/** The rule for calls of AI agents, for the person who opened the link (decision 75, approval of calls of agents). */
function agentHtml({ rules, call }: ApprovePage): Html | undefined {
  if (!rules.isFromAgent) return undefined;
  return html`<p role="note">An AI agent asked for this. ${whoDecides(rules, call)} decides, signed in here. This link alone does not approve it.</p>`;
}

function whoDecides({ approvers, allowSelf }: DecisionRules, { approval }: PendingCallRecord): string {
  const who =
    approvers === undefined
      ? 'A member of the workspace'
      : visibleText(withShownAddresses(approvers.join(' or ')));
  return allowSelf || approval.requesterId === undefined
    ? who
    : `${who}, but not the person whose credential the agent has,`;
}

function formHtml(about: ApprovePage): Html {
  const { token, nonce } = about;
  // A textarea, because Enter in a one-line field would press the first button.
  return html`<form method="post" action="/approve/${token}"><input type="hidden" name="nonce" value="${nonce}">
${agentHtml(about)}<p>${asWhom(about)}</p>
<label>Comment (optional)<textarea name="comment" rows="2" maxlength="500"></textarea></label>
<div class="decide"><div>${approveHtml(about)}</div>
<div><button class="deny" name="decision" value="deny">Deny</button><p class="note">The command does not run. The caller is notified.</p></div>
</div></form>`;
}

/** The button to approve, or why it is not here. A passkey needs a script, so its place is the dashboard. */
function approveHtml({ stale, call: { approval, endpoint }, rules, hubUrl }: ApprovePage): Html {
  if (stale !== undefined) return html`<p role="alert">${stale}.</p>`;
  if (endpoint?.approverKeys !== undefined)
    return html`<p>This endpoint accepts only signed approvals. Run: <code>svc approvals approve ${approval.id}</code></p>`;
  if (rules.approval === 'passkey')
    return html`<p>This endpoint needs a passkey to approve. <a href="${hubUrl}/dashboard/executions/${approval.executionId}">Confirm in the dashboard</a></p>`;
  return html`<button name="decision" value="approve">Approve and run</button><p class="note">The command starts at once, exactly as shown.</p>`;
}

/** The caller has the link too, so it only shows the call here (decision 36, approvers). */
function signInHtml({ token }: ApprovePage): Html {
  return html`<p>Sign in to decide. We'll email you a link.</p>
<form method="post" action="/approve/${token}/sign-in">
<label>Email<input type="email" name="email" required autocomplete="email"></label>
<p><button>Email me a link</button></p></form>`;
}

function asWhom({ by }: ApprovePage): string {
  return by.kind === 'link' ? '' : `You are signed in as ${visibleText(withShownAddresses(by.email))}. `;
}

function closedText({ closing, expiresAtMs }: Pick<Approval, 'closing' | 'expiresAtMs'>): string {
  if (closing === undefined || closing.reason === 'timed_out')
    return `○ Expired without a decision at ${timeText(expiresAtMs)}`;
  return `${wordsOf(closing)} by ${visibleText(withShownAddresses(closing.by.name))} at ${timeText(closing.atMs)}`;
}

function wordsOf({ state, reason }: ApprovalClosing): string {
  if (reason === 'cancelled') return '■ Cancelled';
  if (reason === 'stale') return '○ Changed after it was shown; approval refused';
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

/**
 * The command as HTML. A long value is shortened here and shown in full below, so that it cannot push the end of the
 * command off the screen.
 */
function commandHtml(parts: readonly CommandPart[]): Html {
  return html`<pre class="command" dir="ltr">${parts.map(partHtml)}</pre>`;
}

/** The whole value of one argument. */
function valueHtml(part: Exclude<CommandPart, { kind: 'text' }>): Html {
  const shown = part.kind === 'value' ? valueText(part.text) : partHtml(part);
  const size = part.kind === 'value' && part.text.length > 80 ? `, ${count([...part.text].length)}` : '';
  return html`<h2>Value of <code>${part.name}</code>${size}</h2><pre dir="ltr">${shown}</pre>`;
}

function valueText(text: string): Html {
  return text === '' ? html`<span class="s">empty</span>` : textHtml(text);
}

function partHtml(part: CommandPart): Html {
  switch (part.kind) {
    case 'text':
      // Line breaks of the command are real; those in a value are shown by name.
      return html`${part.text.split('\n').map((line, index) => html`${index === 0 ? '' : '\n'}${textHtml(line)}`)}`;
    case 'value':
      return html`<span class="${fitsLine(part.text) ? 'v' : 'v w'}">${clippedHtml(clippedValue(part.text))}</span>`;
    case 'secret':
      return html`<span class="s">secret ${part.name}</span>`;
    case 'absent':
      return html`<span class="s">no ${part.name}</span>`;
  }
}

function clippedHtml(value: ClippedValue): Html {
  if (value.kind === 'whole') return textHtml(value.text);
  const { head, left, tail } = value;
  return html`${textHtml(head)}<span class="s">… ${count(left)} more, shown below …</span>${textHtml(tail)}`;
}

function textHtml(text: string): Html {
  return html`${visiblePieces(text).map((piece) =>
    piece.kind === 'text'
      ? html`${piece.text}`
      : html`<span class="m" title="Invisible character">${piece.text}</span>`,
  )}`;
}

function count(chars: number): string {
  return `${chars.toLocaleString('en-US')} characters`;
}

/**
 * The style of the approval page: that of the other pages, also for print. Command and values are shown character by
 * character from left to right in any script, so no character can reorder the text around it.
 */
const APPROVE_STYLE = `${PAGE_STYLE}
main{max-width:44rem}@media (min-width:40rem){main{margin-top:32px}}
.state{margin:0;font-weight:600}.waiting{color:var(--waiting)}.approved{color:var(--good)}.denied{color:var(--bad)}
.code{margin:8px 0;padding:8px 12px;border:2px solid var(--bad);color:var(--bad);font-weight:600}
.expired{color:var(--soft)}.facts dt{color:var(--soft);font-size:.875rem}.note{margin:4px 0}
pre{margin:0;padding:12px;background:var(--sunken);border:1px solid var(--line);border-radius:var(--radius);
white-space:pre-wrap;overflow-wrap:anywhere;overflow:hidden;direction:ltr;unicode-bidi:bidi-override}
.command{font-size:16px;border-left:4px solid var(--waiting)}
.v{background:var(--accent-wash);border:1px solid var(--accent);border-radius:var(--radius);padding:0 3px;white-space:pre;
-webkit-box-decoration-break:clone;box-decoration-break:clone}
.w{white-space:pre-wrap}
.s{border:1px dashed var(--soft);border-radius:var(--radius);padding:0 3px;color:var(--soft)}
.m{background:var(--ink);color:var(--paper);border-radius:3px;padding:0 3px;margin:0 1px;font-size:.8em}
.facts{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:16px 0 24px}.facts dd{margin:0;overflow-wrap:anywhere}
.decide{display:flex;flex-wrap:wrap;justify-content:space-between;gap:32px 64px;margin-top:16px}
.decide div{flex:0 1 16rem}.decide .note{margin:4px 0 0}
@media print{:root{color-scheme:light}:root{--paper:#fff;--sunken:#fff;--ink:#000;--soft:#333;--accent-wash:#fff}form,.svc{display:none}}
`;
