import { requestTarget } from '@svc/core/api/request-target';
import type { Caller } from '@svc/core/execution/access';
import { Refusal, refuse } from '@svc/core/refusal';
import { tokenKind } from '@svc/core/token/token';
import type { EndpointRights } from '@svc/core/workspace/endpoint-rights';
import type { Role } from '@svc/core/workspace/permissions';
import { lacksSecondFactor, secondFactorMissing } from '@svc/core/workspace/second-factor-rule';
import { needsProvider } from '@svc/core/workspace/sign-in-rule';
import { isNamed } from '@svc/core/workspace/username';
import { isOver, isToBeNoted } from '../accounts/access-life.ts';
import type { AccessToken, Member, Workspace } from '../accounts/account-ports.ts';
import { ANONYMOUS, identify, type KeyUse, withRights } from '../accounts/identify.ts';
import { hashToken } from '../accounts/make-tokens.ts';
import { ownMembership } from '../accounts/own-member.ts';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { CallLookups } from '../lookups/caches.ts';
import { identifyClient } from '../oauth/identify-client.ts';
import type { Grants } from '../oauth/store/grant-store.ts';
import type { Settings } from '../platform/settings.ts';
import type { Clock } from '../platform/world.ts';
import { refuseOtherSites } from './same-site.ts';
import { pendingSessionCookieOf, sessionCookieOf } from './session-cookies.ts';

export interface IdentityDeps {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly credentials: Credentials;
  readonly grants: Pick<Grants, 'byToken'>;
  readonly keyUse: KeyUse;
  readonly lookups: CallLookups;
  readonly reportBug: (error: unknown) => string;
  readonly settings: Settings;
}

/** The signed-in user, with the credential. */
export interface SignedIn {
  readonly userId: string;
  readonly access: AccessToken;
  /** The membership whose epoch the credential must have. */
  readonly home: Membership;
}

interface Membership {
  readonly workspace: Workspace;
  readonly member: Member;
}

/** A member in the workspace that a request is about. */
export interface Acting extends SignedIn {
  readonly member: Member;
  readonly workspace: Workspace;
  /** Undefined: the role decides about endpoints. */
  readonly rights?: EndpointRights | undefined;
}

type Kinds = readonly string[];

/**
 * The valid session or personal access token of a request, for what belongs to the account; else undefined. Refuses a session from
 * the provider of a workspace, and a token made in one, with `forbidden`, because that provider answers for its workspace only
 * (decision 92, providers of workspaces).
 */
export async function signedIn(
  deps: IdentityDeps,
  request: Request,
  kinds: Kinds,
): Promise<SignedIn | undefined> {
  const found = await signedInAnywhere(deps, request, kinds);
  if (found !== undefined && isForOneWorkspace(found)) {
    const { username } = found.home.workspace;
    throw refuse(
      'forbidden',
      `this credential came from the sign-in provider of the workspace ${username ?? ''} and is for it only: for your account, sign in with a link by mail or a passkey`,
    );
  }
  return found;
}

/** Whether the session came from the provider of a workspace, and is valid there only; or the token was made in such a session. */
export function isForOneWorkspace({ access }: Pick<SignedIn, 'access'>): boolean {
  return boundSessionOf({ access }) !== undefined;
}

/** The session from the provider of a workspace that this credential is, or was made in. */
export function boundSessionOf({ access }: Pick<SignedIn, 'access'>): string | undefined {
  if (access.kind === 'personal') return access.boundSessionId;
  return access.workspaceId === undefined ? undefined : access.id;
}

/** The same as `signedIn`, with sessions from the provider of a workspace. */
export async function signedInAnywhere(
  deps: IdentityDeps,
  request: Request,
  kinds: Kinds,
): Promise<SignedIn | undefined> {
  const access = await accessOf(deps, request);
  if (access === undefined || !kinds.includes(access.kind)) return undefined;
  if (isOver(access, deps.clock.nowMs())) return undefined;
  if (access.kind === 'session') refuseOtherSites(request, deps.settings.hubUrl);
  const home = await homeOf(deps, access);
  // Removal, a change of role and sign-out raise the epoch of the member (decision 44, sign-in).
  if (home?.member.epoch !== access.epoch) return undefined;
  // Sessions from a provider that its workspace no longer has do not count.
  if (access.kind === 'session' && isForOneWorkspace({ access }) && home.workspace.signIn === undefined)
    return undefined;
  noteUse(deps, access);
  return { userId: access.userId, access, home };
}

/**
 * The workspace of a request: that of the personal access token, else the one in `X-Svc-Workspace`, else the user's own (decision
 * 4, the workspace of a request). Refuses with `second_factor_required` a member
 * without the second factor that the workspace demands (decision 100, second factor).
 */
export async function acting(
  deps: IdentityDeps,
  request: Request,
  kinds: Kinds,
): Promise<Acting | undefined> {
  const found = await actingOrLacking(deps, request, kinds);
  if (found !== undefined) refuseWithoutSecondFactor(deps, found);
  return found;
}

/** The same as `acting`, but accepts members without the second factor, for the route that tells them. */
export async function actingOrLacking(
  deps: IdentityDeps,
  request: Request,
  kinds: Kinds,
): Promise<Acting | undefined> {
  const found = await signedInAnywhere(deps, request, kinds);
  if (found === undefined) return undefined;
  const chosen = await namedMembership(deps, request, found);
  refuseWithoutProvider(deps, chosen, found.access);
  return { ...found, ...chosen };
}

/**
 * The user in the workspace that the request names, else in their own; a new access token is bound to it (decision 4, the workspace
 * of a request).
 */
export async function memberOfRequest(
  deps: IdentityDeps,
  { headers }: Request,
  userId: string,
): Promise<Member> {
  const named = headers.get('x-svc-workspace');
  const found =
    named === null
      ? await ownMembership(deps, userId)
      : await membershipIn(deps, await deps.accounts.workspaceByAnyUsername(named), userId);
  if (found === undefined) throw refuse('not_found', NO_SUCH_WORKSPACE);
  if (named !== null) refuseWithoutProvider(deps, found, undefined);
  refuseWithoutSecondFactor(deps, found);
  return found.member;
}

/**
 * The workspaces of the user in which this credential may act: one of a session from the provider of a workspace, and none that
 * demands such a session from others, or a second factor that the user lacks.
 */
export async function openWorkspaces(
  deps: Pick<IdentityDeps, 'accounts'>,
  { userId, access }: Pick<SignedIn, 'userId' | 'access'>,
): Promise<readonly { readonly workspace: Workspace; readonly role: Role }[]> {
  const all = await deps.accounts.workspacesOf(userId);
  const isOpen = await Promise.all(
    all.map(async ({ workspace }) => {
      if (access.workspaceId !== undefined && access.workspaceId !== workspace.id) return false;
      const member = await deps.accounts.member(workspace.id, userId);
      if (member === undefined || lacksSecondFactor(workspace.secondFactor, member)) return false;
      return access.workspaceId !== undefined || !needsProvider(workspace.signIn, member);
    }),
  );
  return all.filter((_, index) => isOpen[index]);
}

function refuseWithoutSecondFactor(
  { settings }: Pick<IdentityDeps, 'settings'>,
  { workspace, member }: Membership,
): void {
  if (lacksSecondFactor(workspace.secondFactor, member)) throw secondFactorMissing(settings.hubUrl);
}

/** Refuses with `forbidden` a session that did not come from the provider of a workspace, where that is needed. */
function refuseWithoutProvider(
  { settings }: Pick<IdentityDeps, 'settings'>,
  { workspace, member }: Membership,
  access: AccessToken | undefined,
): void {
  // A personal access token was made in such a session, or ended when the workspace began to demand one.
  if (access?.workspaceId === workspace.id || !needsProvider(workspace.signIn, member)) return;
  throw refuse(
    'forbidden',
    `the workspace ${workspace.username ?? ''} takes only people who signed in at its provider: open ${settings.hubUrl}/login/workspace/${workspace.username ?? ''}`,
  );
}

async function namedMembership(
  deps: IdentityDeps,
  { headers }: Request,
  { access, home, userId }: SignedIn,
): Promise<Membership> {
  const named = headers.get('x-svc-workspace');
  if (named === null || isNamed(home.workspace, named)) return home;
  if (access.workspaceId !== undefined)
    throw refuse(
      'forbidden',
      access.kind === 'session'
        ? `this session came from the sign-in provider of the workspace ${home.workspace.username ?? ''} and is for it only`
        : 'this access token is bound to another workspace',
    );
  const found = await membershipIn(deps, await deps.accounts.workspaceByAnyUsername(named), userId);
  // NOTE: Not `unauthorized`: the user is known, and would have to sign in again and again.
  if (found === undefined) throw refuse('forbidden', NO_SUCH_WORKSPACE);
  return found;
}

/** One response for things that do not exist, no longer exist, or belong to others (decision 25, errors). */
const NO_SUCH_WORKSPACE = 'there is no such workspace, or you are no member of it';

/** The request does not wait for it, and a store that cannot write is no reason to refuse a read. */
function noteUse({ credentials, clock, reportBug }: IdentityDeps, access: AccessToken): void {
  const nowMs = clock.nowMs();
  if (!isToBeNoted(access, nowMs)) return;
  credentials.touchAccessToken(access.id, nowMs).catch((error: unknown) => {
    if (!(error instanceof Refusal)) reportBug(error);
  });
}

/** The caller of an execution's routes: an API key, a member, or an anonymous caller, perhaps with a read token. */
export async function callerOf(deps: IdentityDeps, request: Request, kinds: Kinds): Promise<Caller> {
  const token = tokenOf(request);
  const kind = token === undefined ? undefined : tokenKind(token);
  if (token !== undefined && kind === 'api_key')
    return kinds.includes('api_key') ? identify(deps, token) : ANONYMOUS;
  if (token !== undefined && kind === 'oauth_access') {
    const resource = `${deps.settings.hubUrl}${requestTarget(request.url).path}`;
    return kinds.includes('oauth') ? identifyClient(deps, token, resource) : ANONYMOUS;
  }
  const found = await acting(deps, request, kinds);
  if (found === undefined) return ANONYMOUS;
  const { userId: id, role } = found.member;
  const caller = { kind: 'member', id, workspaceId: found.workspace.id, role } as const;
  return withRights(deps, caller, { kind: 'member', id, role });
}

/** The browser's session from any kind of request; only used to end it. */
export async function sessionToReplace(
  deps: IdentityDeps,
  request: Request,
): Promise<AccessToken | undefined> {
  const access = await accessOf(deps, request);
  return access?.kind === 'session' && !isOver(access, deps.clock.nowMs()) ? access : undefined;
}

async function accessOf(
  { credentials, settings }: IdentityDeps,
  request: Request,
): Promise<AccessToken | undefined> {
  const bearer = tokenOf(request);
  const [token, kind] =
    bearer === undefined ? [sessionCookieOf(request, settings.hubUrl), 'session'] : [bearer, 'personal'];
  if (token === undefined || tokenKind(token) !== 'access_token') return undefined;
  const access = await credentials.accessTokenByHash(hashToken(token));
  // A session token works only as a cookie, where the check against other sites applies.
  return access?.kind === kind ? access : undefined;
}

/** The pending session of the browser, whose second factor is not proved yet (decision 100, second factor). */
export async function pendingSession(
  { clock, credentials, settings }: Pick<IdentityDeps, 'clock' | 'credentials' | 'settings'>,
  request: Request,
): Promise<AccessToken | undefined> {
  const token = pendingSessionCookieOf(request, settings.hubUrl);
  if (token === undefined || tokenKind(token) !== 'access_token') return undefined;
  const access = await credentials.accessTokenByHash(hashToken(token));
  return access?.kind === 'pending' && !isOver(access, clock.nowMs()) ? access : undefined;
}

/** The membership in the workspace of a personal access token; for a session, in the user's own workspace. */
async function homeOf(deps: IdentityDeps, access: AccessToken): Promise<Membership | undefined> {
  if (access.workspaceId === undefined) return ownMembership(deps, access.userId);
  const workspace = await deps.accounts.workspaceById(access.workspaceId);
  return membershipIn(deps, workspace, access.userId);
}

async function membershipIn(
  { accounts }: IdentityDeps,
  workspace: Workspace | undefined,
  userId: string,
): Promise<Membership | undefined> {
  const member = workspace && (await accounts.member(workspace.id, userId));
  return workspace && member && { workspace, member };
}

const BEARER = /^Bearer +(\S+) *$/i;

/** The token of a request: `X-API-Key`, else `Authorization: Bearer` (reference 5, decision 14, nothing runs before its record). */
export function tokenOf({ headers }: Request): string | undefined {
  const key = headers.get('x-api-key');
  if (key !== null) return key.trim();
  const authorization = headers.get('authorization');
  return authorization === null ? undefined : BEARER.exec(authorization)?.[1];
}
