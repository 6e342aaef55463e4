/**
 * The states of a grant. `issued`: its code was not used yet.
 *
 *     issued ──redeem──> active
 *        └────revoke───────┴──> revoked
 */
export const GRANT_STATES = ['issued', 'active', 'revoked'] as const;
export type OAuthGrantState = (typeof GRANT_STATES)[number];

/** A code works once and for this long: the browser passes it on at once. */
export const CODE_MS = 60_000;
export const ACCESS_MS = 60 * 60 * 1000;
/** A client that was not used for this long has to ask again. */
export const IDLE_MS = 30 * 24 * 60 * 60 * 1000;

/** The facts about a grant that decide on its tokens. */
export interface DecidedGrant {
  readonly state: OAuthGrantState;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly codeChallenge: string;
  readonly codeExpiresAtMs: number;
  /** Counts the refresh tokens of the grant. */
  readonly generation: number;
  /** The grant was revoked, or the membership of its user has ended. */
  readonly isRevoked: boolean;
}

/** `revoke`: a code or refresh token came a second time, so one of the two holders stole it. */
export type TokenDecision =
  | { readonly kind: 'issue' }
  | { readonly kind: 'refuse'; readonly error: 'invalid_grant' | 'invalid_target' }
  | { readonly kind: 'revoke' };

const REFUSE = { kind: 'refuse', error: 'invalid_grant' } as const;
const WRONG_TARGET = { kind: 'refuse', error: 'invalid_target' } as const;
const REVOKE = { kind: 'revoke' } as const;

export interface CodeExchange {
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  /** The challenge that belongs to the verifier. */
  readonly challenge: string;
  readonly resource: string | undefined;
}

/** Decides on the exchange of a code (RFC 6749, 4.1.3; RFC 7636, 4.6; RFC 8707, 2.2). */
export function decideCode(grant: DecidedGrant, given: CodeExchange, nowMs: number): TokenDecision {
  if (grant.state !== 'issued') return REVOKE;
  if (grant.isRevoked || grant.codeExpiresAtMs <= nowMs || grant.clientId !== given.clientId) return REFUSE;
  if (grant.redirectUri !== given.redirectUri || grant.codeChallenge !== given.challenge) return REFUSE;
  return isOther(grant, given.resource) ? WRONG_TARGET : { kind: 'issue' };
}

export interface Refresh {
  readonly clientId: string;
  readonly resource: string | undefined;
  /** The number and the end of the refresh token. */
  readonly generation: number;
  readonly expiresAtMs: number;
}

/** Decides on a refresh. Each refresh token works once; an older one revokes the grant (RFC 9700, 4.14.2). */
export function decideRefresh(grant: DecidedGrant, given: Refresh, nowMs: number): TokenDecision {
  if (grant.state !== 'active' || grant.isRevoked || grant.clientId !== given.clientId) return REFUSE;
  if (given.generation !== grant.generation) return REVOKE;
  if (given.expiresAtMs <= nowMs) return REFUSE;
  return isOther(grant, given.resource) ? WRONG_TARGET : { kind: 'issue' };
}

function isOther(grant: DecidedGrant, resource: string | undefined): boolean {
  return resource !== undefined && resource !== grant.resource && resource !== `${grant.resource}/`;
}
