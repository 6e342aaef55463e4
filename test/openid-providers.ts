import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { type Opened, PlainBrowser } from './plain-browser.ts';

export const CLIENT_ID = 'svc';
export const CLIENT_SECRET = 'a secret of the tests';

/** The settings of a hub for a provider. */
export function openIdSettings(issuer: string) {
  return {
    SVC_OIDC_ISSUER: issuer,
    SVC_OIDC_CLIENT_ID: CLIENT_ID,
    SVC_OIDC_CLIENT_SECRET: CLIENT_SECRET,
    SVC_OIDC_NAME: 'Example & Sons',
  };
}

export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
}

/** What a broken provider does differently. */
export interface Fault {
  /** Claims of the ID token in place of the right ones; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** `none`: not signed. `unknown`: signed with a key that the provider does not publish. `forged`: under the name of its key. */
  readonly signature?: 'none' | 'unknown' | 'forged';
}

/** A provider that follows the test: it signs everyone in at once, and accepts codes repeatedly. */
export class BrokenProvider implements TestProvider {
  readonly issuer: string;
  fault: Fault = {};
  person: JWTPayload = {};
  readonly #server: Bun.Server<undefined>;
  readonly #nonces = new Map<string, string>();
  readonly #key = generateKeyPair('RS256');
  readonly #otherKey = generateKeyPair('RS256');

  constructor() {
    this.#server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (request) => this.#answer(request) });
    this.issuer = `http://127.0.0.1:${this.#server.port}`;
  }

  /** For a hub that signs people in here. */
  get environment() {
    return openIdSettings(this.issuer);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    switch (pathname) {
      case '/.well-known/openid-configuration':
        return Response.json({
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          jwks_uri: `${this.issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256', 'none'],
        });
      case '/authorize': {
        const code = crypto.randomUUID();
        this.#nonces.set(code, searchParams.get('nonce') ?? '');
        const back = new URL(searchParams.get('redirect_uri') ?? '');
        back.searchParams.set('code', code);
        back.searchParams.set('state', searchParams.get('state') ?? '');
        return Response.redirect(back.href, 303);
      }
      case '/keys': {
        const { publicKey } = await this.#key;
        return Response.json({
          keys: [{ ...(await exportJWK(publicKey)), kid: 'own', alg: 'RS256', use: 'sig' }],
        });
      }
      case '/token': {
        const code = new URLSearchParams(await request.text()).get('code') ?? '';
        const token = await this.#idToken(this.#nonces.get(code) ?? '');
        return Response.json({
          access_token: 'unused',
          token_type: 'Bearer',
          expires_in: 60,
          id_token: token,
        });
      }
      default:
        return new Response(null, { status: 404 });
    }
  }

  /** A logout token for the person, as a provider sends it. */
  async logoutToken(claims: JWTPayload, signature?: Fault['signature']): Promise<string> {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const all = { iss: this.issuer, aud: CLIENT_ID, jti: crypto.randomUUID(), events, ...claims };
    const { privateKey } = await (signature === undefined ? this.#key : this.#otherKey);
    return new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(privateKey);
  }

  async #idToken(nonce: string): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 60,
      nonce,
      ...this.person,
      ...this.fault.claims,
    };
    const { signature } = this.fault;
    if (signature === 'none') return `${encoded({ alg: 'none' })}.${encoded(claims)}.`;
    const { privateKey } = await (signature === undefined ? this.#key : this.#otherKey);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'RS256', kid: signature === 'unknown' ? 'other' : 'own' })
      .sign(privateKey);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

/**
 * Links the person of the provider to the account of a session. Returns the page where the browser arrives; one of the
 * dashboard is not opened.
 */
export async function linkPerson(
  hubUrl: string,
  session: Readonly<Record<string, string>>,
  browser = browserWith(hubUrl, session.cookie),
): Promise<Opened> {
  const started = await fetch(`${hubUrl}/auth/identities`, { method: 'POST', headers: session });
  const { url } = (await started.json()) as { url: string };
  browser.addCookies(hubUrl, started.headers.get('set-cookie')?.split(';')[0] ?? '');
  return browser.open(url, ({ pathname }) => pathname.startsWith('/dashboard'));
}

function browserWith(hubUrl: string, cookies = ''): PlainBrowser {
  const browser = new PlainBrowser();
  browser.addCookies(hubUrl, cookies);
  return browser;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
