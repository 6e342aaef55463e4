import { escapeHtml } from '@svc/core/html/escape-html';
import { isSameAddress } from '@svc/core/team/invite';
import { shownAddress } from '@svc/core/text/shown-address';
import { formPolicy, page } from '../platform/pages/page.ts';
import type { ShownInvite } from './join-team.ts';

export const NO_INVITATION = 'Invitation not valid';

export interface JoinPage {
  readonly shown: ShownInvite;
  readonly token: string;
  readonly hubUrl: string;
  /** Undefined: the person is not signed in. */
  readonly signedInAs: string | undefined;
}

/** Shows the inviter and the team; only the form joins (reference 3.2). */
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
  const body = `<p>We sent a sign-in link to <b>${email}</b>. Open the link in this browser to return to the invitation.</p>`;
  return page('Check your email', body, 202, formPolicy(hubUrl));
}

export function joinedPage({ shown }: JoinPage): Response {
  const { username } = shown.workspace;
  const how =
    username === undefined
      ? ''
      : `<p>Programs select this workspace with the header <code>X-Svc-Workspace: ${escapeHtml(username)}</code>.</p>`;
  const on =
    '<p><a href="/dashboard">Go to the dashboard</a>. Its workspace menu switches between teams.</p>';
  return page(
    'Welcome to the team',
    `<p>You have joined <b>${escapeHtml(teamOf(shown))}</b>.</p>${on}${how}`,
  );
}

function joinForm({ token }: JoinPage, email: string): string {
  return (
    `<p>You are signed in as <b>${escapeHtml(shownAddress(email))}</b>.</p>` +
    `<form method="post" action="/join/${escapeHtml(token)}"><button>Join team</button></form>`
  );
}

/** The sign-in link goes only to the invited address, so that only the invited person can use it. */
function signInForm({ shown, token, signedInAs }: JoinPage): string {
  const email = escapeHtml(shownAddress(shown.invite.email));
  const why =
    signedInAs === undefined
      ? `<p>Sign in to join. We'll create an account if you need one.</p>`
      : `<p role="alert">You are signed in as <b>${escapeHtml(shownAddress(signedInAs))}</b>, but this invitation is for <b>${email}</b>.</p>`;
  return (
    why +
    `<form method="post" action="/join/${escapeHtml(token)}/sign-in"><button>Email a sign-in link to ${email}</button></form>`
  );
}

function teamOf({ workspace, ownerEmail }: ShownInvite): string {
  return workspace.username ?? `the workspace of ${ownerEmail}`;
}
