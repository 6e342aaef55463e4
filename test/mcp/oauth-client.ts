import { createHash, randomBytes } from 'node:crypto';

export const REDIRECT = 'http://127.0.0.1:4711/callback';

/** A request of a client for authorization, and the secret behind it. */
export interface Asked {
  readonly verifier: string;
  readonly query: Readonly<Record<string, string>>;
}

interface World {
  readonly hub: { readonly hubUrl: string };
}

/** The session of a person. */
interface Browser {
  readonly cookie: string;
}

type Fields = Readonly<Record<string, string>>;
export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A program that asks for access, and the browser of the person it asks. */
export class OAuthClient {
  readonly #world: World;
  readonly id: string;

  /** With the id of a client that is known already, as the URL of its document. */
  constructor(world: World, id: string) {
    this.#world = world;
    this.id = id;
  }

  static async register(
    world: World,
    redirectUris: readonly string[] = [REDIRECT],
    name = 'Editor',
  ): Promise<OAuthClient> {
    const response = await fetch(`${world.hub.hubUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: name, redirect_uris: redirectUris }),
    });
    const { client_id: id } = (await response.json()) as { client_id: string };
    return new OAuthClient(world, id);
  }

  ask(more: Fields = {}): Asked {
    const verifier = randomBytes(32).toString('base64url');
    return {
      verifier,
      query: {
        response_type: 'code',
        client_id: this.id,
        redirect_uri: REDIRECT,
        state: 'the state',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        resource: `${this.#world.hub.hubUrl}/mcp`,
        ...more,
      },
    };
  }

  /** What the person sees. */
  async page(
    { query }: Asked,
    person?: Browser,
  ): Promise<{ status: number; html: string; headers: Headers }> {
    const headers = person === undefined ? {} : { cookie: person.cookie };
    const url = `${this.#world.hub.hubUrl}/oauth/authorize?${new URLSearchParams(query)}`;
    const response = await fetch(url, { headers, redirect: 'manual' });
    const [, html = ''] = (await response.text()).split('<body>');
    return { status: response.status, html, headers: response.headers };
  }

  /** Sends the form of a page, as the browser of the person does unless told otherwise. */
  async submit(
    html: string,
    person: Browser,
    { run = ['*'], read = false, decision = 'allow', ...more }: Submitted = {},
  ): Promise<Response> {
    const form = new URLSearchParams({ decision });
    for (const name of ['ticket', 'workspace'])
      form.set(name, new RegExp(`name="${name}" value="([^"]+)"`).exec(html)?.[1] ?? '');
    for (const slug of run) form.append('run', slug);
    if (read) form.set('read', '1');
    return await fetch(`${this.#world.hub.hubUrl}/oauth/authorize`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: person.cookie, origin: this.#world.hub.hubUrl, ...more.headers },
      body: form,
    });
  }

  /** The parameters with which the browser comes back to the client. */
  async allowed(asked: Asked, person: Browser, submitted?: Submitted): Promise<URLSearchParams> {
    const { html } = await this.page(asked, person);
    const response = await this.submit(html, person, submitted);
    return new URL(response.headers.get('location') ?? 'x:').searchParams;
  }

  async post(path: string, fields: Fields): Promise<OAuthAnswer> {
    const response = await fetch(`${this.#world.hub.hubUrl}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
    });
    const text = await response.text();
    const body = text === '' ? {} : (JSON.parse(text) as OAuthAnswer['body']);
    return { status: response.status, headers: response.headers, body };
  }

  exchange({ verifier, query }: Asked, code: string, more: Fields = {}): Promise<OAuthAnswer> {
    return this.post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      client_id: this.id,
      redirect_uri: query.redirect_uri ?? '',
      code_verifier: verifier,
      ...more,
    });
  }

  refresh(refreshToken: unknown, more: Fields = {}): Promise<OAuthAnswer> {
    return this.post('/oauth/token', {
      grant_type: 'refresh_token',
      refresh_token: String(refreshToken),
      client_id: this.id,
      ...more,
    });
  }

  /** The tokens after the person has allowed it. */
  async connect(person: Browser, submitted?: Submitted, more: Fields = {}): Promise<Tokens> {
    const asked = this.ask(more);
    const code = (await this.allowed(asked, person, submitted)).get('code') ?? '';
    const { body } = await this.exchange(asked, code);
    return {
      access: String(body.access_token),
      refresh: String(body.refresh_token),
      scope: String(body.scope),
    };
  }
}

interface Submitted {
  readonly run?: readonly string[];
  readonly read?: boolean;
  readonly decision?: string;
  readonly headers?: Fields;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly scope: string;
}
