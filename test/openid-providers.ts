import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { importJWK, type JWTPayload, SignJWT } from 'jose';
import { type MutableResponse, type MutableToken, OAuth2Server } from 'oauth2-mock-server';
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
  /**
   * `none`: not signed. `unknown`: by a key with a name that the provider does not publish. `forged`: by another key under the name of
   * its own. `secret`: with the client secret, which is no key of the provider.
   */
  readonly signature?: 'none' | 'unknown' | 'forged' | 'secret';
  /** Its error when a refresh token comes. */
  readonly refresh?: 'invalid_grant' | 'server_error';
  /** Fields of its description in place of the right ones. */
  readonly description?: Readonly<Record<string, string>>;
  /** The description is somewhere else. */
  readonly redirect?: string;
}

/** What a provider may do wrong with an ID token. None of it may open a session, at the provider of the hub and of a workspace. */
export const FAULTS: [what: string, fault: Fault][] = [
  ['names another issuer', { claims: { iss: 'http://127.0.0.1:1' } }],
  ['signs for another client', { claims: { aud: 'another' } }],
  [
    'signs for several clients, and not on behalf of this one',
    { claims: { aud: [CLIENT_ID, 'x'], azp: 'x' } },
  ],
  ['brings the nonce of another sign-in', { claims: { nonce: 'another' } }],
  ['brings no nonce', { claims: { nonce: undefined } }],
  ['brings a token that has expired', { claims: { iat: 1_700_000_000, exp: 1_700_000_060 } }],
  ['brings a token that is not valid yet', { claims: { nbf: 4_000_000_000 } }],
  ['brings no subject', { claims: { sub: undefined } }],
  ['does not sign', { signature: 'none' }],
  ['signs with a key that it does not publish', { signature: 'unknown' }],
  ['has its signature forged', { signature: 'forged' }],
  ['signs with the client secret', { signature: 'secret' }],
];

/**
 * A provider of npm (`oauth2-mock-server`) that breaks the rules that a test names. It signs the person of the test in at once.
 */
export class BrokenProvider implements TestProvider {
  readonly issuer: string;
  fault: Fault = {};
  person: JWTPayload = {};
  /** How often a client has come with a refresh token. */
  refreshes = 0;
  readonly #mock: OAuth2Server;
  readonly #server: Server;
  readonly #otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

  private constructor(mock: OAuth2Server, server: Server, issuer: string) {
    this.#mock = mock;
    this.#server = server;
    this.issuer = issuer;
    mock.issuer.url = issuer;
    mock.service.on('beforeTokenSigning', (token: MutableToken) => {
      token.payload = { ...token.payload, ...this.person, ...this.fault.claims };
      if (this.fault.signature === 'unknown') token.header.kid = 'other';
    });
    mock.service.on('beforeResponse', (response: MutableResponse, request: { body?: unknown }) => {
      const { grant_type: grant } = (request.body ?? {}) as { readonly grant_type?: string };
      if (typeof response.body === 'object')
        response.body.id_token = this.#spoiled(String(response.body.id_token));
      if (grant !== 'refresh_token') return;
      this.refreshes += 1;
      const { refresh } = this.fault;
      if (refresh !== undefined)
        Object.assign(response, {
          statusCode: refresh === 'invalid_grant' ? 400 : 500,
          body: { error: refresh },
        });
    });
    mock.service.on('beforeUserinfo', (response: MutableResponse) => {
      response.body = { sub: this.person.sub };
    });
  }

  static async start(): Promise<BrokenProvider> {
    const mock = new OAuth2Server();
    await mock.issuer.keys.generate('RS256', { kid: 'own' });
    let provider: BrokenProvider;
    const server = createServer((request, response) => {
      if (!provider.#answersItself(request, response)) void mock.service.requestHandler(request, response);
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    provider = new BrokenProvider(mock, server, `http://127.0.0.1:${port}`);
    return provider;
  }

  /** For a hub that signs people in here. */
  get environment() {
    return openIdSettings(this.issuer);
  }

  /** A logout token for the person, as a provider sends it. */
  async logoutToken(claims: JWTPayload, signature?: Fault['signature']): Promise<string> {
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const all = { iss: this.issuer, aud: CLIENT_ID, jti: crypto.randomUUID(), events, ...claims };
    const own = await importJWK(this.#mock.issuer.keys.get('own') ?? {}, 'RS256');
    const key = signature === undefined ? own : this.#otherKey;
    return new SignJWT(all).setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(key);
  }

  /** Answers for its description where that is at fault. */
  #answersItself({ url }: IncomingMessage, response: ServerResponse): boolean {
    const { description, redirect } = this.fault;
    if (url !== '/.well-known/openid-configuration') return false;
    if (redirect !== undefined) {
      response.writeHead(302, { location: redirect }).end();
      return true;
    }
    if (description === undefined) return false;
    const { issuer } = this;
    const addresses = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` };
    const all = { issuer, ...addresses, jwks_uri: `${issuer}/jwks`, ...description };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(all));
    return true;
  }

  /** The token without a signature, or with one of another key. */
  #spoiled(token: string): string {
    const [header = '', claims = ''] = token.split('.');
    switch (this.fault.signature) {
      case 'none':
        return `${encoded({ alg: 'none' })}.${claims}.`;
      case 'secret': {
        const signed = `${encoded({ alg: 'HS256', kid: 'own' })}.${claims}`;
        return `${signed}.${createHmac('sha256', CLIENT_SECRET).update(signed).digest('base64url')}`;
      }
      case 'forged': {
        const signed = `${header}.${claims}`;
        return `${signed}.${sign('sha256', Buffer.from(signed), this.#otherKey).toString('base64url')}`;
      }
      default:
        return token;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
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
