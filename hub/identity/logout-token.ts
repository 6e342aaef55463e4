import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose';

/** Whom a provider has signed out. `subject`, `sid` or both are there. */
export interface ProviderLogout {
  readonly issuer: string;
  readonly subject: string | undefined;
  /** The session at the provider. */
  readonly sid: string | undefined;
  /** The id of the token, which is used once. */
  readonly jti: string;
}

export interface LogoutTokenChecks {
  readonly issuer: string;
  readonly clientId: string;
  /** The public keys of the provider. */
  readonly keys: JWTVerifyGetKey;
  readonly nowMs: number;
}

/** How old a token may be; some providers send it again after a failure. */
const MAX_AGE_SEC = 10 * 60;
const CLOCK_DIFFERENCE_SEC = 60;
/** How long the id of a token is kept: longer than the token is accepted. */
export const LOGOUT_KEPT_MS = 60 * 60 * 1000;
const MAX_ID_CHARS = 500;
/** Public keys only: with the client secret as key, and with `none`, others could make tokens. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/**
 * Checks a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). Throws an error of `jose` when it is not valid.
 *
 * An ID token is never one: it has no event of a logout, and it has a nonce.
 */
export async function readLogoutToken(
  token: string,
  { issuer, clientId, keys, nowMs }: LogoutTokenChecks,
): Promise<ProviderLogout> {
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    requiredClaims: ['iat', 'jti', 'events'],
    maxTokenAge: MAX_AGE_SEC,
    clockTolerance: CLOCK_DIFFERENCE_SEC,
    currentDate: new Date(nowMs),
  });
  const refuseUnless = (isValid: boolean, claim: string) => {
    if (!isValid)
      throw new errors.JWTClaimValidationFailed(`"${claim}" is not that of a logout`, payload, claim);
  };
  const { events, sub: subject, sid, jti } = payload;
  refuseUnless(isObject(events) && Object.hasOwn(events, EVENT) && isObject(events[EVENT]), 'events');
  refuseUnless(!Object.hasOwn(payload, 'nonce'), 'nonce');
  refuseUnless(subject === undefined || isId(subject), 'sub');
  refuseUnless(sid === undefined || isId(sid), 'sid');
  refuseUnless(subject !== undefined || sid !== undefined, 'sub');
  if (!isId(jti)) throw new errors.JWTClaimValidationFailed('"jti" is not a text', payload, 'jti');
  return { issuer, subject, sid: isId(sid) ? sid : undefined, jti };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_ID_CHARS;
}
