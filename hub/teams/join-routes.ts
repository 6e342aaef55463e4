import { isSameAddress } from '@svc/core/team/invite';
import { shownAddress } from '@svc/core/text/shown-address';
import { makeSession } from '../accounts/make-tokens.ts';
import { ownMembership } from '../accounts/own-member.ts';
import {
  findOrCreateUser,
  limitSignInsFrom,
  type SendSignInLinkDeps,
  type SignInParts,
  sendSignInLink,
} from '../accounts/sign-in.ts';
import { returnCookie } from '../accounts/sign-in-return.ts';
import { askForSecondFactor } from '../accounts/sign-in-routes.ts';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type IdentityDeps, type SignedIn, signedIn, tokenOf } from '../http/identity.ts';
import { refuseForeignForm } from '../http/same-site.ts';
import { sessionCookie } from '../http/session-cookies.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import { type Html, html } from '../platform/pages/html.ts';
import { formPolicy, onPage, page } from '../platform/pages/page.ts';
import { findInvite, joinTeam, type ShownInvite } from './join-team.ts';
import { AS_ROLE } from './team-mails.ts';

interface JoinRoutesDeps extends SendSignInLinkDeps, IdentityDeps {
  readonly mutex: KeyedMutex;
}

type Routes = Pick<Handlers, 'showInvitation' | 'acceptInvitation' | 'signInToJoin'>;

/**
 * The link of an invitation. GET shows the page; its form joins the team (references 3.2 and 7, decision 34, links that act).
 *
 * The link proves the mailbox, so an address without an account gets one and a session. For an address with an account the
 * link alone is no sign-in: it lives for days, and somebody may forward it.
 */
export function joinRoutes(deps: JoinRoutesDeps, parts: SignInParts): Routes {
  const ports = { ...deps, tokens: parts.tokens };
  const about = async (request: Request, token: string): Promise<JoinPage & { user?: SignedIn }> => {
    const shown = await findInvite(ports, token);
    const user = await signedIn(deps, request, ['session', 'personal']);
    const { hubUrl } = deps.settings;
    return { shown, token, hubUrl, signedInAs: user?.home.member.email, ...(user ? { user } : {}) };
  };
  return {
    showInvitation: ({ request, parameters: { token } }) =>
      onPage(NO_INVITATION, async () => invitationPage(await about(request, token))),
    acceptInvitation: ({ request, parameters: { token } }) =>
      onPage(NO_INVITATION, async () => {
        // A program sends its token in a header, which a page of another site cannot make a browser do.
        if (tokenOf(request) === undefined) refuseForeignForm(request, deps.settings.hubUrl);
        const invitation = await about(request, token);
        const from = originOf(deps, request);
        if (invitation.user !== undefined) {
          const { userId: id, home } = invitation.user;
          await joinTeam(ports, token, { id, email: home.member.email }, from);
          return joinedPage(invitation);
        }
        if (invitation.shown.hasAccount) return invitationPage(invitation, 401);
        limitSignInsFrom(deps, request);
        const user = await findOrCreateUser({ ...deps, ...parts }, invitation.shown.invite.email, from);
        await joinTeam(ports, token, user, from);
        const { member } = await ownMembership(deps, user.id);
        const session = await makeSession(deps, { member, by: sourceOf(deps, request, member) });
        if (session.row.kind === 'pending') return askForSecondFactor(deps.settings.hubUrl, session, '');
        const response = joinedPage(invitation);
        response.headers.append('Set-Cookie', sessionCookie(deps.settings.hubUrl, session.token));
        return response;
      }),
    signInToJoin: ({ request, parameters: { token } }) =>
      onPage(NO_INVITATION, async () => {
        refuseForeignForm(request, deps.settings.hubUrl);
        limitSignInsFrom(deps, request);
        const invitation = await about(request, token);
        await sendSignInLink(deps, parts, invitation.shown.invite.email);
        const response = invitationSentPage(invitation);
        const cookie = returnCookie(deps.settings.hubUrl, 'join', token);
        if (cookie !== undefined) response.headers.set('Set-Cookie', cookie);
        return response;
      }),
  };
}

const NO_INVITATION = 'Invitation not valid';

interface JoinPage {
  readonly shown: ShownInvite;
  readonly token: string;
  readonly hubUrl: string;
  /** Undefined: the person is not signed in. */
  readonly signedInAs: string | undefined;
}

/** Shows the inviter and the team; only the form joins (reference 3.2). */
function invitationPage(about: JoinPage, status = 200): Response {
  const { shown, signedInAs, hubUrl } = about;
  const { invite, inviterEmail } = shown;
  const intro = html`<p><b>${shownAddress(inviterEmail)}</b> invites you to join the team of <b>${teamOf(shown)}</b> on svc, as <b>${AS_ROLE[invite.role]}</b>.</p>`;
  const isInvited = signedInAs !== undefined && isSameAddress(signedInAs, invite.email);
  const isNew = signedInAs === undefined && !shown.hasAccount;
  const body = isInvited || isNew ? joinForm(about) : signInForm(about);
  return page('You are invited', html`${intro}${body}`, status, formPolicy(hubUrl));
}

function invitationSentPage({ shown, hubUrl }: JoinPage): Response {
  const email = shownAddress(shown.invite.email);
  const body = html`<p>We sent a sign-in link to <b>${email}</b>. Open the link in this browser to return to the invitation.</p>`;
  return page('Check your email', body, 202, formPolicy(hubUrl));
}

function joinedPage({ shown }: JoinPage): Response {
  const { username } = shown.workspace;
  const dashboard =
    username === undefined ? '/dashboard' : `/dashboard?workspace=${encodeURIComponent(username)}`;
  const how =
    username === undefined
      ? undefined
      : html`<p>Programs select this workspace with the header <code>X-Svc-Workspace: ${username}</code>.</p>`;
  const on = html`<p><a href="${dashboard}">Open ${teamOf(shown)} in the dashboard</a></p>`;
  return page(
    'Welcome to the team',
    html`<p>You have joined <b>${teamOf(shown)}</b>.</p>${on}${how}`,
    200,
    // Programs that join read this page; browsers continue to the team.
    { Refresh: `0; url=${dashboard}` },
  );
}

function joinForm({ token, shown, signedInAs }: JoinPage): Html {
  const who =
    signedInAs === undefined
      ? html`<p>You join as <b>${shownAddress(shown.invite.email)}</b>. This creates your account.</p>`
      : html`<p>You are signed in as <b>${shownAddress(signedInAs)}</b>.</p>`;
  const later =
    signedInAs === undefined ? undefined : html`<p class="note"><a href="/dashboard">Not now</a></p>`;
  return html`${who}
<form method="post" action="/join/${token}"><button>Join team</button></form>${later}`;
}

/** The sign-in link goes only to the invited address, so that only the invited person can use it. */
function signInForm({ shown, token, signedInAs }: JoinPage): Html {
  const email = shownAddress(shown.invite.email);
  const why =
    signedInAs === undefined
      ? html`<p>Sign in to join.</p>`
      : html`<p role="alert">You are signed in as <b>${shownAddress(signedInAs)}</b>, but this invitation is for <b>${email}</b>.</p>`;
  return html`${why}
<form method="post" action="/join/${token}/sign-in"><button>Email a sign-in link to ${email}</button></form>`;
}

function teamOf({ workspace, ownerEmail }: ShownInvite): string {
  return workspace.username ?? `the workspace of ${ownerEmail}`;
}
