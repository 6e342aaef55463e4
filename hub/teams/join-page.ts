import { escapeHtml } from '@svc/core/html/escape-html';
import { isSameAddress } from '@svc/core/team/invite';
import { shownAddress } from '@svc/core/text/shown-address';
import { formPolicy, page } from '../platform/pages/page.ts';
import type { ShownInvite } from './join-team.ts';

export const NO_INVITATION = 'This invitation does not work';

export interface JoinPage {
  readonly shown: ShownInvite;
  readonly token: string;
  readonly hubUrl: string;
  /** Undefined: the visitor has not signed in. */
  readonly signedInAs: string | undefined;
}

/** Shows the inviting member and the team; only its form accepts (reference 3.2). */
export function invitationPage(about: JoinPage, status = 200): Response {
  const { shown, signedInAs, hubUrl } = about;
  const { invite, inviterEmail } = shown;
  const role = invite.role === 'admin' ? 'an admin' : 'a member';
  const intro =
    `<p><b>${escapeHtml(shownAddress(inviterEmail))}</b> invites you to join the team of <b>${escapeHtml(teamOf(shown))}</b>` +
    ` on svc, as <b>${role}</b>.</p>`;
  const isInvited = signedInAs !== undefined && isSameAddress(signedInAs, invite.email);
  const body = isInvited ? joinForm(about, signedInAs) : signInForm(about);
  return page('You are invited', intro + body, status, formPolicy(hubUrl));
}

export function invitationSentPage({ shown, hubUrl }: JoinPage): Response {
  const email = escapeHtml(shownAddress(shown.invite.email));
  const body = `<p>A link to sign in is on its way to <b>${email}</b>. Open it in this browser: it leads back to the invitation.</p>`;
  return page('Look into your mail', body, 202, formPolicy(hubUrl));
}

export function joinedPage({ shown }: JoinPage): Response {
  const { username } = shown.workspace;
  const how =
    username === undefined
      ? ''
      : `<p>Programs act there with the header <code>X-Svc-Workspace: ${escapeHtml(username)}</code>.</p>`;
  const on =
    '<p><a href="/dashboard">Go to the dashboard</a>: the name at its top switches between teams.</p>';
  return page(
    'Welcome to the team',
    `<p>You have joined <b>${escapeHtml(teamOf(shown))}</b>.</p>${on}${how}`,
  );
}

function joinForm({ token }: JoinPage, email: string): string {
  return (
    `<p>You are signed in as <b>${escapeHtml(shownAddress(email))}</b>.</p>` +
    `<form method="post" action="/join/${escapeHtml(token)}"><button>Join</button></form>`
  );
}

/** Only the invited address receives the link, so its holder is the invited person. */
function signInForm({ shown, token, signedInAs }: JoinPage): string {
  const email = escapeHtml(shownAddress(shown.invite.email));
  const why =
    signedInAs === undefined
      ? `<p>Sign in first; who has no account gets one by that.</p>`
      : `<p role="alert">You are signed in as <b>${escapeHtml(shownAddress(signedInAs))}</b>, and this invitation is for <b>${email}</b>.</p>`;
  return (
    why +
    `<form method="post" action="/join/${escapeHtml(token)}/sign-in"><button>Mail a link to ${email}</button></form>`
  );
}

function teamOf({ workspace, ownerEmail }: ShownInvite): string {
  return workspace.username ?? `the workspace of ${ownerEmail}`;
}
