import { hash } from 'node:crypto';
import type { AuditDetails, AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { refuse } from '@svc/core/refusal';
import { hashOfAiClient } from '@svc/core/token/ai-client-key';
import { formToken, type TokenKind } from '@svc/core/token/token';
import type { Statement } from '../platform/db/unit/statement.ts';
import type { Clock, Random } from '../platform/world.ts';
import { SESSION_MS } from './access-life.ts';
import type { AccessToken, AgentToken, ApiKey, Member, UsedApiKey } from './account-ports.ts';
import type { Credentials } from './store/credentials.ts';

/** A new token in plain, which is shown only once (decision 1, tokens). */
export interface Made<Row> {
  readonly row: Row;
  readonly token: string;
}

export const ACCESS_TOKEN_MS = 12 * 60 * 60 * 1000;
const SECRET_BYTES = 32;

type TokenDeps = { readonly credentials: Credentials; readonly random: Random; readonly clock: Clock };

export interface NewApiKey {
  readonly workspaceId: string;
  readonly createdBy: string;
  readonly name: string;
  readonly endpoints: readonly string[] | undefined;
  readonly expiresAtMs: number | undefined;
}

export async function makeApiKey(
  deps: TokenDeps,
  wanted: NewApiKey,
  by: AuditSource,
): Promise<Made<UsedApiKey>> {
  const { token, ...secret } = makeToken(deps, 'api_key');
  const row = { ...wanted, ...secret, revokedAtMs: undefined };
  const isStored = await deps.credentials.addApiKey(row, {
    ...by,
    workspaceId: row.workspaceId,
    atMs: row.createdAtMs,
    action: 'api_key.made',
    target: { kind: 'api_key', id: row.id, name: row.name },
    details: { last4: row.last4, endpoints: row.endpoints ?? null, expires_at: iso(row.expiresAtMs) },
  });
  if (!isStored) throw refuse('unauthorized', 'you are not a member of this workspace any more');
  return {
    row: {
      ...row,
      previousLast4: undefined,
      previousUntilMs: undefined,
      usedAtMs: undefined,
      agentSinceMs: undefined,
    },
    token,
  };
}

/**
 * Rotates the token of a key. The previous token works for `overlapSec` more, so that callers can switch over. A second
 * rotation ends the overlap of the first.
 */
export async function rotateApiKey(
  deps: TokenDeps,
  key: UsedApiKey,
  overlapSec: number,
  by: AuditSource,
): Promise<Made<UsedApiKey>> {
  const { token, hash, last4, createdAtMs: nowMs } = makeToken(deps, 'api_key');
  const previousUntilMs = nowMs + overlapSec * 1000;
  const isStored = await deps.credentials.rotateApiKey(
    key,
    { hash, last4, previousUntilMs },
    {
      ...by,
      workspaceId: key.workspaceId,
      atMs: nowMs,
      action: 'api_key.rotated',
      target: { kind: 'api_key', id: key.id, name: key.name },
      details: { last4, previous_last4: key.last4, previous_until: iso(previousUntilMs) },
    },
  );
  if (!isStored) throw refuse('key_revoked', 'this key was revoked, has expired, or was rotated just now');
  return { row: { ...key, hash, last4, previousLast4: key.last4, previousUntilMs }, token };
}

export interface NewAgentToken {
  readonly workspaceId: string;
  readonly createdBy: string;
  readonly name: string;
  /** The agent names of the token; none: its first hello binds it to one. */
  readonly agentNames: readonly string[];
  /** Every process that connects with it may have the secrets of its agent, not only the first. */
  readonly isPool: boolean;
  /** Makes an enrolment token, which a machine exchanges for the agent token (decision 80, enrolment). */
  readonly isEnrolment?: boolean;
}

/** How long an enrolment token works. */
const ENROLMENT_MS = 15 * 60_000;

export async function makeAgentToken(
  deps: TokenDeps,
  { isEnrolment = false, ...wanted }: NewAgentToken,
  by: AuditSource,
): Promise<Made<AgentToken>> {
  const { token, ...secret } = makeToken(deps, isEnrolment ? 'enrolment_token' : 'agent_token');
  const unbound = { boundAtMs: undefined, firstInstance: undefined, revokedAtMs: undefined };
  const enrolUntilMs = isEnrolment ? secret.createdAtMs + ENROLMENT_MS : undefined;
  const row = { ...wanted, ...secret, ...unbound, enrolUntilMs };
  await deps.credentials.addAgentToken(row, {
    ...by,
    workspaceId: row.workspaceId,
    atMs: row.createdAtMs,
    action: 'agent_token.made',
    target: { kind: 'agent_token', id: row.id, name: row.name },
    details: { last4: row.last4, agent_name: row.agentNames.join(', ') || null, pool: row.isPool },
  });
  return { row, token };
}

export interface NewAccessToken {
  readonly lifeMs: number;
  readonly name?: string | undefined;
  /** The session for one workspace that makes it. */
  readonly boundSessionId?: string | undefined;
}

/** Creates a personal access token (`svc_pat_`), bound to one workspace (decision 4, the workspace of a request). */
export async function makeAccessToken(
  deps: TokenDeps,
  member: Member,
  by: AuditSource,
  wanted: NewAccessToken = { lifeMs: ACCESS_TOKEN_MS },
): Promise<Made<AccessToken>> {
  const made = newAccessToken(deps, member, wanted);
  const guard = deps.credentials.needingNoProvider(made.row);
  const stored = await deps.credentials.addAccessToken(
    made.row,
    accessTokenMade(made.row, member, by),
    guard,
  );
  if (stored !== 'stored') throw accessChanged();
  return made;
}

/** The request was let in before. */
function accessChanged() {
  return refuse('forbidden', 'your access to this workspace has changed meanwhile: sign in again');
}

/**
 * Creates a personal access token for a person who proved only one factor. Refuses a person with a second factor with
 * `second_factor_required` (decision 100, second factor).
 */
export async function makeAccessTokenByOneFactor(
  deps: TokenDeps,
  member: Member,
  by: AuditSource,
): Promise<Made<AccessToken>> {
  const made = newAccessToken(deps, member, { lifeMs: ACCESS_TOKEN_MS });
  const { credentials } = deps;
  const guard = [credentials.needingOneFactor(member.userId), ...credentials.needingNoProvider(made.row)];
  switch (await credentials.addAccessToken(made.row, accessTokenMade(made.row, member, by), guard)) {
    case 'second_factor':
      throw linkIsNotEnough();
    case 'needs_provider':
      throw accessChanged();
    case 'stored':
      return made;
  }
}

export function linkIsNotEnough() {
  return refuse(
    'second_factor_required',
    'your account has a second factor, and a link proves one only: open the link in a browser, or run "svc login"',
  );
}

/** Creates a personal access token without storing it. */
export function newAccessToken(
  deps: Omit<TokenDeps, 'credentials'>,
  { userId, workspaceId, epoch }: Member,
  { lifeMs, name, boundSessionId }: NewAccessToken,
): Made<AccessToken> {
  const { token, ...secret } = makeToken(deps, 'access_token');
  const expiresAtMs = secret.createdAtMs + lifeMs;
  const row = {
    ...secret,
    userId,
    workspaceId,
    epoch,
    expiresAtMs,
    name,
    usedAtMs: undefined,
    agentSinceMs: undefined,
    passkeyId: undefined,
    boundSessionId,
  };
  return { row: { ...row, kind: 'personal' }, token };
}

export function accessTokenMade(row: AccessToken, { workspaceId }: Member, by: AuditSource): AuditEntry {
  return {
    ...by,
    workspaceId,
    atMs: row.createdAtMs,
    action: 'access_token.made',
    target: { kind: 'access_token', id: row.id, name: row.name ?? `…${row.last4}` },
    details: { last4: row.last4, expires_at: iso(row.expiresAtMs) },
  };
}

/** The browser session that a sign-in begins. */
interface NewSession {
  /** The user in their own workspace, or in the one whose provider signed them in. */
  readonly member: Member;
  /** The session is for the workspace of the member only, because it came from the provider of this workspace. */
  readonly isForOneWorkspace?: boolean | undefined;
  readonly by: AuditSource;
  /** More for the audit entry. */
  readonly details?: AuditDetails | undefined;
  readonly lifeMs?: number | undefined;
  /** More that is stored in the same transaction. An expectation that is not met refuses the sign-in. */
  readonly alongside?: ((session: AccessToken) => readonly Statement[]) | undefined;
  /** The passkey that began the session. A passkey verifies its person, so it counts for both factors. */
  readonly passkeyId?: string | undefined;
}

/** How long a person has to prove the second factor. */
export const PENDING_SESSION_MS = 10 * 60 * 1000;

/**
 * Creates a browser session. A person with a second factor gets a pending session, unless they signed in with a passkey (decision
 * 100, second factor). Refuses with `unauthorized` when `alongside` is not stored.
 */
export async function makeSession(
  deps: TokenDeps,
  {
    member,
    by,
    details = {},
    lifeMs = SESSION_MS,
    alongside = () => [],
    passkeyId,
    isForOneWorkspace = false,
  }: NewSession,
): Promise<Made<AccessToken>> {
  const { userId, epoch, workspaceId, email } = member;
  const { token, ...secret } = makeToken(deps, 'access_token');
  const { createdAtMs } = secret;
  const row = {
    ...secret,
    kind: 'session',
    userId,
    workspaceId: isForOneWorkspace ? workspaceId : undefined,
    epoch,
    expiresAtMs: createdAtMs + lifeMs,
    name: by.from.userAgent,
    usedAtMs: createdAtMs,
    agentSinceMs: undefined,
    passkeyId,
    address: by.from.address,
  } as const;
  const isPending = passkeyId === undefined && (await deps.credentials.hasSecondFactor(userId));
  const entry: AuditEntry = {
    ...by,
    workspaceId,
    atMs: createdAtMs,
    action: isPending ? 'account.second_factor_asked' : 'account.signed_in',
    target: { kind: 'account', id: userId, name: email },
    details,
  };
  const stored = isPending ? pendingOf(row) : row;
  // The person may have switched the second factor on since the read above.
  const guard = passkeyId === undefined && !isPending ? [deps.credentials.needingOneFactor(userId)] : [];
  if ((await deps.credentials.addAccessToken(stored, entry, [...guard, ...alongside(row)])) !== 'stored')
    throw refuse('unauthorized', 'what proved you changed meanwhile: sign in again');
  return { row: stored, token };
}

function pendingOf(row: AccessToken): AccessToken {
  const expiresAtMs = row.createdAtMs + PENDING_SESSION_MS;
  return { ...row, kind: 'pending', expiresAtMs, fullExpiresAtMs: row.expiresAtMs };
}

export function makeToken({ random, clock }: Omit<TokenDeps, 'credentials'>, kind: TokenKind) {
  const token = formToken(kind, random.bytes(SECRET_BYTES));
  return {
    token,
    id: random.uuid(),
    hash: hashToken(token),
    last4: token.slice(-4),
    createdAtMs: clock.nowMs(),
  };
}

/**
 * The API key of an AI client, with the id of its grant. No token has its hash: the client uses the tokens of the grant (decision
 * 74, access for AI clients).
 */
export function keyOfAiClient(key: Omit<ApiKey, 'hash' | 'last4' | 'expiresAtMs' | 'revokedAtMs'>): ApiKey {
  return { ...key, hash: hashOfAiClient(key.id), last4: '', expiresAtMs: undefined, revokedAtMs: undefined };
}

function iso(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}

/** The hash by which the store keeps and finds a token (decision 1, tokens). */
export function hashToken(token: string): string {
  return hash('sha256', token);
}
