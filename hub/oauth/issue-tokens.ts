import { hash } from 'node:crypto';
import type { AuditOrigin } from '@svc/core/audit/entry';
import {
  ACCESS_MS,
  decideCode,
  decideRefresh,
  IDLE_MS,
  type TokenDecision,
} from '@svc/core/oauth/decide-token';
import { cutByRole, isEmpty, readScopes } from '@svc/core/oauth/scopes';
import type { TokenKind } from '@svc/core/token/token';
import { hashToken, keyOfAiClient, makeToken } from '../accounts/make-tokens.ts';
import type { OpenStreams } from '../accounts/open-streams.ts';
import type { Clock, Random } from '../platform/world.ts';
import { grantEntry } from './grant-access.ts';
import type { Grant, GrantNow, GrantToken } from './oauth-ports.ts';
import type { Grants } from './store/grant-store.ts';

export interface TokenDeps {
  readonly grants: Grants;
  readonly clock: Clock;
  readonly random: Random;
  readonly openStreams: Pick<OpenStreams, 'recheck'>;
}

/** The answer of the token endpoint: tokens, or an error code of RFC 6749, 5.2, or RFC 8707, 2. */
export type TokenAnswer =
  | { readonly kind: 'issued'; readonly access: string; readonly refresh: string; readonly scopes: string }
  | { readonly kind: 'refused'; readonly error: 'invalid_grant' | 'invalid_target' };

export interface GivenCode {
  readonly code: string;
  readonly verifier: string;
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  readonly resource: string | undefined;
}

const INVALID = { kind: 'refused', error: 'invalid_grant' } as const;

/** Exchanges a code for tokens. A code that comes a second time revokes the grant. */
export async function exchangeCode(
  deps: TokenDeps,
  given: GivenCode,
  from: AuditOrigin,
): Promise<TokenAnswer> {
  const grant = await deps.grants.byCode(hashToken(given.code));
  if (grant === undefined) return INVALID;
  const challenge = hash('sha256', given.verifier, 'base64url');
  const decision = decideCode(grant, { ...given, challenge }, deps.clock.nowMs());
  const { id, workspaceId, userId: createdBy, clientName: name, scopes, createdAtMs } = grant;
  const { run } = readScopes(scopes);
  const endpoints = run === 'all' ? undefined : run;
  const key = keyOfAiClient({ id, workspaceId, createdBy, name, endpoints, createdAtMs });
  return await carryOut(deps, grant, decision, from, (next, tokens) => deps.grants.redeem(next, key, tokens));
}

export interface GivenRefresh {
  readonly refreshToken: string;
  readonly clientId: string;
  readonly resource: string | undefined;
}

/** Replaces a refresh token. One that comes a second time revokes the grant. */
export async function refreshTokens(
  deps: TokenDeps,
  { refreshToken, ...given }: GivenRefresh,
  from: AuditOrigin,
): Promise<TokenAnswer> {
  const found = await deps.grants.byToken(hashToken(refreshToken));
  if (found?.token.kind !== 'refresh') return INVALID;
  const { grant, role, token } = found;
  if (isEmpty(cutByRole(readScopes(grant.scopes), role))) return INVALID;
  const { generation, expiresAtMs } = token;
  const decision = decideRefresh(grant, { ...given, generation, expiresAtMs }, deps.clock.nowMs());
  return await carryOut(deps, grant, decision, from, (next, tokens) => deps.grants.refresh(next, tokens));
}

/**
 * `used`: another request with the same code or refresh token was stored first, so two programs have it. `no_member`: the user has
 * left the workspace in the meantime.
 */
type Store = (next: Grant, tokens: readonly GrantToken[]) => Promise<'stored' | 'used' | 'no_member'>;

async function carryOut(
  deps: TokenDeps,
  grant: GrantNow,
  decision: TokenDecision,
  from: AuditOrigin,
  store: Store,
): Promise<TokenAnswer> {
  if (decision.kind === 'refuse') return { kind: 'refused', error: decision.error };
  if (decision.kind === 'revoke') {
    await revokeMisused(deps, grant, from);
    return INVALID;
  }
  const expiresAtMs = deps.clock.nowMs() + IDLE_MS;
  const { isRevoked: _, usedAtMs: __, ...before } = grant;
  const next: Grant = { ...before, generation: grant.generation + 1, expiresAtMs };
  const access = newToken(deps, next, 'access', deps.clock.nowMs() + ACCESS_MS);
  const refresh = newToken(deps, next, 'refresh', expiresAtMs);
  const outcome = await store(next, [access.row, refresh.row]);
  if (outcome === 'used') await revokeMisused(deps, grant, from);
  if (outcome !== 'stored') return INVALID;
  return { kind: 'issued', access: access.text, refresh: refresh.text, scopes: grant.scopes };
}

async function revokeMisused(
  { grants, clock, openStreams }: TokenDeps,
  grant: GrantNow,
  from: AuditOrigin,
): Promise<void> {
  if (grant.isRevoked) return;
  const actor = { kind: 'hub', id: undefined, name: 'the hub' } as const;
  await grants.revoke(grant, grantEntry(grant, 'ai_client.misused', clock.nowMs(), { actor, from }));
  await openStreams.recheck();
}

const KINDS = { access: 'oauth_access', refresh: 'oauth_refresh' } as const satisfies Record<
  string,
  TokenKind
>;

function newToken(
  deps: Pick<TokenDeps, 'random' | 'clock'>,
  { id: grantId, workspaceId, generation }: Grant,
  kind: GrantToken['kind'],
  expiresAtMs: number,
) {
  const { token: text, hash: tokenHash } = makeToken(deps, KINDS[kind]);
  return { text, row: { hash: tokenHash, grantId, workspaceId, kind, generation, expiresAtMs } };
}
