import { requestTarget } from '@svc/core/api/request-target';
import type { AuditDetails, AuditSource } from '@svc/core/audit/entry';
import { relyingPartyOf } from '@svc/core/passkey/relying-party';
import { refuse } from '@svc/core/refusal';
import { shownAddress } from '@svc/core/text/shown-address';
import { raw } from 'hono/html';
import { originOf, sourceOf } from '../http/audit-source.ts';
import type { Handlers } from '../http/handler.ts';
import { type IdentityDeps, memberOfRequest, sessionToReplace, signedIn } from '../http/identity.ts';
import { refuseForeignForm } from '../http/same-site.ts';
import { pendingSessionCookie, sessionCookie } from '../http/session-cookies.ts';
import type { Statement } from '../platform/db/unit/statement.ts';
import { seeOther } from '../platform/http/see-other.ts';
import { type Html, html } from '../platform/pages/html.ts';
import { formPolicy, mayRunScript, onPage, page, readPageForm } from '../platform/pages/page.ts';
import type { Settings } from '../platform/settings.ts';
import type { Random } from '../platform/world.ts';
import type { AccessToken, Member } from './account-ports.ts';
import {
  ACCESS_TOKEN_MS,
  type Made,
  makeAccessToken,
  makeAccessTokenByOneFactor,
  makeSession,
  PENDING_SESSION_MS,
} from './make-tokens.ts';
import type { OpenStreams } from './open-streams.ts';
import { ownMembership } from './own-member.ts';
import { PASSKEY_SCRIPT, passkeyForm } from './passkey-script-page.ts';
import { type RecordGroupsDeps, recordGroups } from './record-groups.ts';
import { signOut } from './revoke-tokens.ts';
import {
  confirmSignIn,
  findSignInLink,
  limitSignInsFrom,
  refuseLinkAlone,
  type SendSignInLinkDeps,
  type SignInParts,
  sendSignInLink,
} from './sign-in.ts';
import { endedReturnCookie, ownPath, pathReturnCookie, returnCookie, returnPath } from './sign-in-return.ts';

export interface SessionDeps extends IdentityDeps, RecordGroupsDeps {
  readonly addressOf: (request: Request) => string;
  readonly openStreams: OpenStreams;
  readonly random: Random;
  readonly settings: Settings;
}

export type SignInRoutesDeps = SendSignInLinkDeps & SessionDeps;

/** The page that asks for the second factor. */
export const SECOND_FACTOR_PATH = '/login/second-factor';

const NO_LINK = 'Sign-in link not valid';

type Routes = Pick<
  Handlers,
  | 'showSignIn'
  | 'requestSignIn'
  | 'requestMagicLink'
  | 'showMagicLink'
  | 'confirmMagicLink'
  | 'makeAccessToken'
>;

/**
 * Sign-up and sign-in by a link in a mail (reference 1, decision 34, links that act; decision 44, sign-in). The sign-in page works
 * without scripts.
 */
export function signInRoutes(deps: SignInRoutesDeps, parts: SignInParts): Routes {
  const { hubUrl, hasMailServer } = deps.settings;
  const ports = { ...deps, ...deps.settings, ...parts };
  return {
    showSignIn({ request }) {
      const { query } = requestTarget(request.url);
      return signInPage(deps.settings, new URLSearchParams(query).get('to') ?? '');
    },
    requestSignIn: ({ request }) =>
      onPage(SIGN_IN, async () => {
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(deps, request);
        const form = await readPageForm(request);
        await sendSignInLink(deps, parts, form.get('email') ?? '');
        const response = hasMailServer ? signInSentPage() : noMailServerPage();
        const cookie = pathReturnCookie(hubUrl, form.get('to') ?? '');
        if (cookie !== undefined) response.headers.set('Set-Cookie', cookie);
        return response;
      }),
    async requestMagicLink({ request, body: { email } }) {
      limitSignInsFrom(deps, request);
      await sendSignInLink(deps, parts, email);
      return { message: 'if the address may sign in, a link is on its way to it' };
    },
    showMagicLink: ({ parameters: { token } }) =>
      onPage(NO_LINK, async () => {
        const { email } = await findSignInLink(ports, token);
        return confirmSignInPage(hubUrl, email);
      }),
    confirmMagicLink: ({ request, parameters: { token } }) =>
      onPage(NO_LINK, async () => {
        // A page of another site cannot sign a visitor in to a foreign account.
        refuseForeignForm(request, hubUrl);
        limitSignInsFrom(deps, request);
        const user = await confirmSignIn(ports, token, originOf(deps, request));
        const invite = await deps.teams.openInvite(user.email, deps.clock.nowMs());
        const invitation = invite && parts.tokens.form('join', invite.id, invite.generation);
        return signInBrowser(deps, request, { userId: user.id, invitation });
      }),
    async makeAccessToken({ request, body: { token } }) {
      limitSignInsFrom(deps, request);
      if (token !== undefined) await refuseLinkAlone(ports, token);
      const userId =
        token === undefined
          ? (await signedIn(deps, request, ['session']))?.userId
          : (await confirmSignIn(ports, token, originOf(deps, request))).id;
      if (userId === undefined)
        throw refuse('unauthorized', 'the token of a sign-in link, or a session, is needed');
      const member = await memberOfRequest(deps, request, userId);
      const by = sourceOf(deps, request, member);
      if (token !== undefined) await recordNoGroups(deps, member, by);
      const make = token === undefined ? makeAccessToken : makeAccessTokenByOneFactor;
      const made = await make(deps, member, by);
      return { access_token: made.token, expires_in: ACCESS_TOKEN_MS / 1000 };
    },
  };
}

interface BrowserSignIn {
  readonly userId: string;
  /** More for the audit entry. */
  readonly details?: AuditDetails;
  /** How long the session lasts; undefined: as long as every session. */
  readonly lifeMs?: number | undefined;
  /** More that is stored with the session. */
  readonly alongside?: (session: AccessToken) => readonly Statement[];
  /** The passkey that proves the person. */
  readonly passkeyId?: string | undefined;
  /** The groups that the sign-in provider sends; default: none, because the sign-in is another one. Undefined: it left them out. */
  readonly groups?: readonly string[] | undefined;
  /** The member of the workspace whose provider signs them in; the session is for it only. */
  readonly memberOf?: Member | undefined;
  /** The path that the sign-in page got. */
  readonly to?: string;
  /** The token of an open invitation, which is shown unless a page required the sign-in. */
  readonly invitation?: string | undefined;
}

function userOf({ userId: id, email }: Member) {
  return { id, email };
}

/**
 * Begins a session of the browser, and redirects to the page that required the sign-in, else to the dashboard. A person with a second
 * factor gets a pending session, and is redirected to the page that asks for it.
 */
export async function signInBrowser(
  deps: SessionDeps,
  request: Request,
  { userId, to = '', memberOf, invitation, ...more }: BrowserSignIn,
): Promise<Response> {
  const member = memberOf ?? (await ownMembership(deps, userId)).member;
  const isForOneWorkspace = memberOf !== undefined;
  const by = sourceOf(deps, request, member);
  // Comes before the session, which then has no right of a group that the person has left.
  if ('groups' in more && more.groups !== undefined)
    await recordGroups(deps, {
      ...{ user: userOf(member), groups: more.groups, how: 'sign_in', by },
      workspaceId: memberOf?.workspaceId,
    });
  const session = await makeSession(deps, { member, by, isForOneWorkspace, ...more });
  if (session.row.kind === 'pending') {
    const response = askForSecondFactor(deps.settings.hubUrl, session, to);
    return returnPath(request, deps.settings.hubUrl) === undefined && to === ''
      ? withInvitation(response, deps.settings.hubUrl, invitation)
      : response;
  }
  if (!('groups' in more)) await recordNoGroups(deps, member, by);
  return await enter(deps, request, { ...session.row, token: session.token }, { to, invitation });
}

/**
 * Withdraws the groups of a person who signed in without the provider. Comes when all factors are proved, so that one alone changes
 * nothing, and before the browser has its session.
 */
export async function recordNoGroups(deps: RecordGroupsDeps, member: Member, by: AuditSource): Promise<void> {
  await recordGroups(deps, { user: userOf(member), groups: [], how: 'sign_in', by });
}

/** A session of a browser. */
type NewSession = Pick<AccessToken, 'userId' | 'workspaceId'> & Pick<Made<AccessToken>, 'token'>;

/** Gives the browser its session, and redirects to the page that required the sign-in, else to the dashboard. */
export async function enter(
  deps: SessionDeps,
  request: Request,
  { token, userId, workspaceId }: NewSession,
  { to = '', invitation }: Pick<BrowserSignIn, 'to' | 'invitation'> = {},
): Promise<Response> {
  await endReplaced(deps, request);
  const landing =
    invitation !== undefined
      ? `/join/${invitation}`
      : workspaceId === undefined
        ? await landingPath(deps, userId)
        : '/dashboard';
  return welcome(request, deps.settings.hubUrl, token, { to, landing });
}

/** Gives the browser a pending session, and redirects to the page that asks for the second factor. */
export function askForSecondFactor(hubUrl: string, { token }: Made<AccessToken>, to: string): Response {
  const response = seeOther(SECOND_FACTOR_PATH);
  const cookies = [
    pendingSessionCookie(hubUrl, token, PENDING_SESSION_MS / 1000),
    // The page that asks for the factor does not carry the return path, so a cookie does.
    pathReturnCookie(hubUrl, to),
  ];
  for (const cookie of cookies) if (cookie !== undefined) response.headers.append('Set-Cookie', cookie);
  return response;
}

/** A cookie leads to the invitation after the second factor. */
function withInvitation(response: Response, hubUrl: string, invitation: string | undefined): Response {
  const cookie = invitation === undefined ? undefined : returnCookie(hubUrl, 'join', invitation);
  if (cookie !== undefined) response.headers.append('Set-Cookie', cookie);
  return response;
}

/** A browser has one session, so a new sign-in replaces the previous one. */
async function endReplaced(deps: SessionDeps, request: Request): Promise<void> {
  const replaced = await sessionToReplace(deps, request);
  if (replaced === undefined) return;
  const { member } = await ownMembership(deps, replaced.userId);
  await signOut(deps, replaced, member, sourceOf(deps, request, member));
}

/** The dashboard of the workspace that the person used last, else of their first own one (decision 103, several own workspaces). */
async function landingPath({ accounts }: Pick<SessionDeps, 'accounts'>, userId: string): Promise<string> {
  const last = await accounts.lastWorkspaceOf(userId);
  const all = last === undefined ? [] : await accounts.workspacesOf(userId);
  const { workspace, role } = all.find((one) => one.workspace.id === last) ?? {};
  // A workspace with a provider of its own may refuse this session.
  const isOpen = role === 'owner' || workspace?.signIn === undefined;
  if (workspace?.username === undefined || !isOpen) return '/dashboard';
  const isHome = workspace.id === (await ownMembership({ accounts }, userId)).workspace.id;
  return isHome ? '/dashboard' : `/dashboard?workspace=${workspace.username}`;
}

/** Redirects to the page that required the sign-in, else to the dashboard. */
function welcome(
  request: Request,
  hubUrl: string,
  token: string,
  { to, landing }: { readonly to: string; readonly landing: string },
): Response {
  const path = ownPath(to) ?? returnPath(request, hubUrl);
  const response = seeOther(path ?? landing);
  response.headers.append('Set-Cookie', sessionCookie(hubUrl, token));
  if (path !== undefined) response.headers.append('Set-Cookie', endedReturnCookie(hubUrl));
  return response;
}

export const SIGN_IN = 'Sign in to svc';

/** Asks for an email address, or leads to the provider; `to` is the path to open after the sign-in. */
export function signInPage({ hubUrl, providerName }: Settings, to: string): Response {
  // A link: browsers refuse a form that is redirected to another site.
  const provider =
    providerName === undefined
      ? undefined
      : html`<p><a class="button" href="/login/oidc?to=${encodeURIComponent(to)}">Continue with ${providerName}</a></p>
<p class="note">Or sign in with a link by email.</p>`;
  const other = providerName === undefined ? undefined : html` class="other"`;
  const body = html`${provider}<form method="post" action="/login"><input type="hidden" name="to" value="${to}">
<label>Email <input type="email" name="email" required autofocus autocomplete="email"></label>
<button${other}>Email me a link</button></form>
<p class="note">No password needed. The link works for 15 minutes.</p>
<p class="note"><a href="/login/workspace?to=${encodeURIComponent(to)}">Sign in at the provider of a workspace</a></p>`;
  const about = html`<p class="note"><a href="/docs">What svc is and how to use it</a></p>`;
  const response = (withPasskey: Html | undefined) =>
    page(SIGN_IN, html`${body}${withPasskey}${about}`, 200, formPolicy(hubUrl));
  if (relyingPartyOf(hubUrl) === undefined) return response(undefined);
  const form = passkeyForm('/login/passkey', 'Sign in with a passkey');
  return mayRunScript(response(html`${form}<script>${raw(PASSKEY_SCRIPT)}</script>`), PASSKEY_SCRIPT);
}

export function signInSentPage(): Response {
  const body = html`<p>If this address can sign in, we sent it a link. Open the link in this browser within 15 minutes.</p>
<p><a href="/login">Use another address</a></p>`;
  return page('Check your email', body, 202);
}

/** Instead of `signInSentPage` on a hub that cannot send mail. */
export function noMailServerPage(): Response {
  const body = html`<p>This hub has no mail server, so it did not send a link. On the machine of the hub, this command prints one:</p>
<pre><code>svc admin sign-in-link YOUR-EMAIL</code></pre>
<p><a href="/login">Use another address</a></p>`;
  return page('No mail server', body, 202);
}

/** The page of the link in the mail. Link scanners open it too, so only its form signs in (decision 34, links that act). */
export function confirmSignInPage(hubUrl: string, email: string): Response {
  const body = html`<p>You are signing in as <b>${shownAddress(email)}</b>.</p>
<form method="post"><button autofocus>Sign in</button></form>`;
  return page(SIGN_IN, body, 200, formPolicy(hubUrl));
}
