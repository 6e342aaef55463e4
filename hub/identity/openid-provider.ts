import { Refusal, refuse } from '@svc/core/refusal';
import {
  createRemoteJWKSet,
  errors,
  type FetchImplementation,
  type JWTVerifyGetKey,
  customFetch as keysFetch,
} from 'jose';
import * as client from 'openid-client';
import type { OidcSettings } from '../platform/oidc-settings.ts';
import type { Clock } from '../platform/world.ts';
import { areGroupsElsewhere, claimedGroups } from './claimed-groups.ts';
import type { ProvedIdentity } from './identity-ports.ts';
import { type ProviderLogout, readLogoutToken } from './logout-token.ts';

/** The values that the return of a sign-in must match. They stay with the browser that began it. */
export interface SignInChecks {
  readonly state: string;
  readonly nonce: string;
  /** The code verifier of PKCE (RFC 7636). */
  readonly verifier: string;
}

export interface BegunSignIn {
  /** The page of the provider. */
  readonly url: string;
  readonly checks: SignInChecks;
}

type Claims = Readonly<Record<string, unknown>>;

/** After this time the hub reads the provider's description again. */
const DISCOVERY_MS = 60 * 60 * 1000;
const TIMEOUT_SEC = 10;

/**
 * An OpenID provider that the operator or the owner of a workspace named: authorization code flow with PKCE, `state` and `nonce` (decision 71, single
 * sign-on). openid-client checks every answer and the ID token; nothing here reads a token.
 */
export class OpenIdProvider {
  readonly settings: OidcSettings;
  readonly #clock: Clock;
  readonly #onProblem: (reason: string) => void;
  readonly #fetch: client.CustomFetch | undefined;
  #keys: { readonly uri: string; readonly keys: JWTVerifyGetKey } | undefined;
  #discovered: { readonly config: Promise<client.Configuration>; readonly atMs: number } | undefined;

  /**
   * @param onProblem called with the reason of each failure, for the log of the operator; it has no claims and no tokens
   * @param fetch makes every request to the provider; default: that of the runtime, for a provider that the operator named
   */
  constructor(
    settings: OidcSettings,
    clock: Clock,
    onProblem: (reason: string) => void,
    fetch?: client.CustomFetch,
  ) {
    this.#fetch = fetch;
    this.settings = settings;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  /** Makes the address of the provider's page. Refuses with `unavailable` when the provider cannot be reached. */
  async begin(redirectUri: string): Promise<BegunSignIn> {
    const config = await this.#config();
    const checks = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes,
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, checks };
  }

  /**
   * Exchanges the code of a return and checks its ID token. Refuses with `forbidden` when the provider signed nobody in,
   * `unauthorized` when an answer is not valid, and `unavailable` when the provider cannot be reached.
   */
  async finish(returned: URL, { state, nonce, verifier }: SignInChecks): Promise<ProvedIdentity> {
    const config = await this.#config();
    try {
      const tokens = await client.authorizationCodeGrant(config, returned, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw refuse('unauthorized', NOT_VALID);
      const more = await this.#moreOf(config, claims, claims.sub, tokens.access_token);
      const address = this.#address(claims.email === undefined ? more : claims);
      const groups = this.#allGroups(claims, more);
      const sid = typeof claims.sid === 'string' && claims.sid !== '' ? claims.sid : undefined;
      const refreshToken = tokens.refresh_token;
      return { issuer: claims.iss, subject: claims.sub, ...address, groups, sid, refreshToken };
    } catch (error) {
      throw this.#refusal(error);
    }
  }

  /**
   * Checks a logout token of the provider. Refuses with `invalid_argument` when it is not valid, and `unavailable` when the
   * keys of the provider cannot be read.
   */
  async readLogout(token: string): Promise<ProviderLogout> {
    const config = await this.#config();
    const { issuer, jwks_uri: uri = '' } = config.serverMetadata();
    try {
      const keys = this.#keysAt(uri);
      const { clientId } = this.settings;
      return await readLogoutToken(token, { issuer, clientId, keys, nowMs: this.#clock.nowMs() });
    } catch (error) {
      this.#onProblem(`logout token: ${reasonOf(error)}`);
      if (!isInvalidToken(error)) throw refuse('unavailable', UNREACHABLE);
      throw refuse('invalid_argument', 'logout_token: a valid token of the sign-in provider expected');
    }
  }

  /**
   * Asks for the groups of a person again, with the refresh token of a session. Undefined: the provider no longer knows the session.
   * An answer without the claim leaves the groups undefined, because some providers send less than at a sign-in.
   * Refuses with `unauthorized` when an answer is not valid, and `unavailable` when the provider cannot be reached.
   */
  async refresh(refreshToken: string, subject: string): Promise<ProvedIdentity | undefined> {
    const config = await this.#config();
    try {
      const tokens = await client.refreshTokenGrant(config, refreshToken);
      // An ID token is optional here (OpenID Connect Core 12.2).
      const claims: Claims = tokens.claims() ?? {};
      if (claims.sub !== undefined && claims.sub !== subject) throw refuse('unauthorized', NOT_VALID);
      const more = await this.#moreOf(config, claims, subject, tokens.access_token);
      const address = this.#address(claims.email === undefined ? more : claims);
      const groups = this.#groups(claims) ?? this.#groups(more);
      const { issuer } = config.serverMetadata();
      return { issuer, subject, ...address, groups, sid: undefined, refreshToken: tokens.refresh_token };
    } catch (error) {
      if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') return undefined;
      throw this.#refusal(error);
    }
  }

  /** Whether this provider is the one with the issuer of a token. */
  isIssuer(issuer: string): boolean {
    return URL.parse(issuer)?.href === new URL(this.settings.issuer).href;
  }

  /** The claims of the userinfo endpoint, where the ID token leaves the address or the groups out, as some providers do. */
  async #moreOf(
    config: client.Configuration,
    claims: Claims,
    subject: string,
    accessToken: string,
  ): Promise<Claims> {
    const isMissing = claims.email === undefined || this.#groups(claims) === undefined;
    const hasMore = isMissing && config.serverMetadata().userinfo_endpoint !== undefined;
    return hasMore ? await client.fetchUserInfo(config, accessToken, subject) : claims;
  }

  /** What the provider says about itself now. Refuses with `unavailable` when it has no valid description. */
  async describe(): Promise<client.ServerMetadata> {
    this.#discovered = undefined;
    return (await this.#config()).serverMetadata();
  }

  /** The keys at an address, which are read again when a token names an unknown one, at most every 30 s. */
  #keysAt(uri: string): JWTVerifyGetKey {
    if (this.#keys?.uri !== uri) {
      const { issuer } = this.settings;
      if (issuer.startsWith('https:') && !uri.startsWith('https:'))
        throw new Error(`the keys of the provider have no https address: "${uri}"`);
      const fetched = this.#fetch && { [keysFetch]: keysThrough(this.#fetch) };
      const options = { timeoutDuration: TIMEOUT_SEC * 1000, ...fetched };
      this.#keys = { uri, keys: createRemoteJWKSet(new URL(uri), options) };
    }
    return this.#keys.keys;
  }

  /** The groups of the person; empty if the provider sends none. Undefined: the provider left them out, or the operator named no claim. */
  #allGroups(claims: Claims, more: Claims): readonly string[] | undefined {
    const { groupsClaim } = this.settings;
    if (groupsClaim === undefined) return undefined;
    const groups = this.#groups(claims) ?? this.#groups(more);
    if (groups !== undefined) return groups;
    if (![claims, more].some((some) => areGroupsElsewhere(some, groupsClaim))) return [];
    this.#onProblem(`the provider left the claim "${groupsClaim}" out: memberships stay as they are`);
    return undefined;
  }

  #groups(claims: Claims): readonly string[] | undefined {
    const { groupsClaim } = this.settings;
    return groupsClaim === undefined ? [] : claimedGroups(claims, groupsClaim);
  }

  #address({ email, email_verified: verified }: Claims) {
    const isVouchedFor = this.settings.emailVerified === 'always' && verified === undefined;
    return {
      email: typeof email === 'string' ? email : undefined,
      isEmailVerified: verified === true || isVouchedFor,
    };
  }

  #config(): Promise<client.Configuration> {
    const nowMs = this.#clock.nowMs();
    if (this.#discovered === undefined || nowMs - this.#discovered.atMs >= DISCOVERY_MS) {
      const found = { config: this.#discover(), atMs: nowMs };
      this.#discovered = found;
      found.config.catch(() => {
        if (this.#discovered === found) this.#discovered = undefined;
      });
    }
    return this.#discovered.config;
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const isPlain = issuer.startsWith('http:');
    try {
      const config = await client.discovery(new URL(issuer), clientId, undefined, authOf(clientSecret), {
        timeout: TIMEOUT_SEC,
        ...(this.#fetch && { [client.customFetch]: this.#fetch }),
        // Without them the library does not check the signature of a token that comes from the provider itself.
        execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
      });
      // The library lets the addresses of Microsoft for all tenants pass, behind which anybody can be.
      const { issuer: found } = config.serverMetadata();
      if (URL.parse(found)?.href !== new URL(issuer).href)
        throw new Error(`the issuer calls itself "${found}": name this one as the issuer`);
      return config;
    } catch (error) {
      this.#onProblem(reasonOf(error));
      throw refuse('unavailable', UNREACHABLE);
    }
  }

  #refusal(error: unknown): Refusal {
    if (error instanceof Refusal) return error;
    this.#onProblem(reasonOf(error));
    if (error instanceof client.AuthorizationResponseError)
      return refuse('forbidden', `the provider did not sign you in: ${error.error}`);
    if (isUnreachable(error)) return refuse('unavailable', UNREACHABLE);
    return refuse('unauthorized', NOT_VALID);
  }
}

/** The two libraries ask for keys and for everything else with different types. */
function keysThrough(fetch: client.CustomFetch): FetchImplementation {
  return (url, { headers, method, redirect, signal }) =>
    fetch(url, { headers: Object.fromEntries(headers), method, redirect, signal, body: undefined });
}

const NOT_VALID = 'the answer of the sign-in provider is not valid: start again';
const UNREACHABLE = 'the sign-in provider cannot be reached: try again later';

/** The messages of an error and its causes; an error of the library also has the answer in it, which is left out. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  const code = 'error' in error ? ` (${String(error.error)})` : '';
  return `${error.message}${code}${cause instanceof Error ? `: ${reasonOf(cause)}` : ''}`;
}

function isUnreachable(error: unknown): boolean {
  if (error instanceof TypeError) return true;
  return error instanceof client.ClientError && (error.code ?? 'OAUTH_TIMEOUT') === 'OAUTH_TIMEOUT';
}

/** Whether the token is at fault, and not the way to the keys. */
function isInvalidToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    error.code !== errors.JOSEError.code &&
    !(error instanceof errors.JWKSTimeout)
  );
}

/**
 * HTTP Basic, the default of the standard. In the body if the provider takes the secret only there, or there, too, and the secret has
 * characters that Basic encodes (RFC 6749, 2.3.1): some providers, such as LemonLDAP::NG, do not decode them.
 */
function authOf(secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)];
  const isEncoded = /[^A-Za-z0-9]/.test(secret);
  return (server, metadata, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInBody =
      !methods.includes('client_secret_basic') || (isEncoded && methods.includes('client_secret_post'));
    return (isInBody ? post : basic)(server, metadata, body, headers);
  };
}
