// Sign-in at an OpenID provider (decision 71, single sign-on): a certified provider for the good way, and one that breaks each
// rule in turn.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { certifiedProvider } from '../certified-provider.ts';
import { freePort } from '../free-port.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import {
  BrokenProvider,
  CLIENT_ID,
  type Fault,
  linkPerson,
  openIdSettings,
  type TestProvider,
} from '../openid-providers.ts';
import { type Person, personWith, signIn } from '../people.ts';
import { PlainBrowser } from '../plain-browser.ts';

const MINUTE_MS = 60_000;

const settingsOf = (issuer: string) => ({ SVC_RATE_LIMITS: 'off', ...openIdSettings(issuer) });

const isReturn = ({ pathname }: URL) => pathname === '/login/oidc/callback';

/** Who is signed in; undefined: no session. */
async function whoIs(world: HubWorld, browser: PlainBrowser): Promise<unknown> {
  const { status, body } = await personIn(world, browser).ask('GET', '/workspace');
  return status === 200 ? body.email : undefined;
}

function personIn(world: HubWorld, browser: PlainBrowser): Person {
  return personWith(world, '', browser.header(world.hub.hubUrl));
}

describe('at a certified provider', () => {
  let world: HubWorld;
  let provider: TestProvider;
  beforeAll(async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    world = await hubWorld({ env: settingsOf(issuer) });
    provider = await certifiedProvider(issuer, `${world.hub.hubUrl}/login/oidc/callback`);
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });

  /** From the button of the sign-in page to the return to the hub, which is not opened. */
  async function toTheReturn(browser: PlainBrowser, email: string, to = ''): Promise<URL> {
    const page = await browser.open(`${world.hub.hubUrl}/login?to=${encodeURIComponent(to)}`);
    const [, href = ''] =
      /<a class="button" href="([^"]+)">Continue with Example &amp; Sons</.exec(page.text) ?? [];
    const login = await browser.open(new URL(href.replaceAll('&amp;', '&'), page.url).href);
    expect(login.text).toContain('name="login"');
    const consent = await browser.submit(login, { login: email, password: 'any' });
    expect(consent.text).toContain('consent');
    return (await browser.submit(consent, {}, isReturn)).url;
  }

  test('a new person gets an account from the button without scripts, and returns to the page they wanted', async () => {
    const browser = new PlainBrowser();
    const back = await toTheReturn(browser, 'ada@example.com', '/dashboard/executions?state=failed');
    const opened = await browser.open(back.href, ({ pathname }) => pathname.startsWith('/dashboard'));
    expect(opened.url.href).toBe(`${world.hub.hubUrl}/dashboard/executions?state=failed`);
    expect(await whoIs(world, browser)).toBe('ada@example.com');
    const ada = personIn(world, browser);
    expect((await ada.ask('GET', '/auth/identities')).body).toMatchObject({
      provider: 'Example & Sons',
      items: [{ issuer: provider.issuer, email: 'ada@example.com' }],
    });
    const { items } = (await ada.ask('GET', '/audit')).body as {
      items: { action: string; details: object }[];
    };
    expect(items.map(({ action, details }) => [action, details])).toEqual([
      ['account.signed_in', { issuer: provider.issuer }],
      ['workspace.created', { plan: 'unlimited', issuer: provider.issuer }],
    ]);
    expect((await ada.ask('POST', '/auth/logout')).status).toBe(204);
    expect(await whoIs(world, browser)).toBeUndefined();
    // The second time the provider knows the browser, and the hub the identity.
    await browser.open(`${world.hub.hubUrl}/login/oidc`, ({ pathname }) => pathname === '/dashboard');
    expect(await whoIs(world, browser)).toBe('ada@example.com');
  });

  test('a return without the name of the provider, or with that of another one, opens no session', async () => {
    const change: ((url: URL) => void)[] = [
      (url) => url.searchParams.delete('iss'),
      (url) => url.searchParams.set('iss', 'http://127.0.0.1:1'),
    ];
    for (const [index, spoil] of change.entries()) {
      const browser = new PlainBrowser();
      const back = await toTheReturn(browser, `mix-${index}@example.com`);
      spoil(back);
      expect((await browser.open(back.href)).status).toBe(401);
      expect(await whoIs(world, browser)).toBeUndefined();
    }
  });

  test('a person who cancels at the provider gets the reason', async () => {
    const browser = new PlainBrowser();
    const login = await browser.open(`${world.hub.hubUrl}/login/oidc`);
    const [, abort = ''] = /href="([^"]+\/abort)"/.exec(login.text) ?? [];
    const page = await browser.open(new URL(abort, login.url).href);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('access_denied')]);
    expect(page.text).toContain('href="/login"');
  });
});

describe('at a provider that', () => {
  let world: HubWorld;
  let provider: BrokenProvider;
  let env: Record<string, string>;
  let browser: PlainBrowser;
  beforeAll(async () => {
    provider = new BrokenProvider();
    env = settingsOf(provider.issuer);
    world = await hubWorld({ env });
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    browser = new PlainBrowser();
    provider.fault = {};
    const name = crypto.randomUUID();
    provider.person = { sub: name, email: `${name}@example.com`, email_verified: true };
  });

  const start = () => `${world.hub.hubUrl}/login/oidc`;
  const come = () => browser.open(start(), ({ pathname }) => pathname === '/dashboard');
  const comeBack = async () => (await browser.open(start(), isReturn)).url;

  const FAULTS: [what: string, fault: Fault][] = [
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
  ];

  test.each(FAULTS)('%s opens no session', async (_what, fault) => {
    provider.fault = fault;
    const page = await come();
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('not valid')]);
    expect(await whoIs(world, browser)).toBeUndefined();
    // Nothing else was wrong.
    provider.fault = {};
    await come();
    expect(await whoIs(world, browser)).toBe(provider.person.email);
  });

  test('gets a return with another state opens no session', async () => {
    const back = await comeBack();
    back.searchParams.set('state', 'another');
    expect((await browser.open(back.href)).status).toBe(401);
    expect(await whoIs(world, browser)).toBeUndefined();
  });

  test('takes a code twice signs in once, also with the cookie of before', async () => {
    const back = await comeBack();
    const hub = world.hub.hubUrl;
    const cookie = browser.cookie(hub, 'svc_oidc') ?? '';
    await browser.open(back.href, ({ pathname }) => pathname === '/dashboard');
    expect(browser.cookie(hub, 'svc_oidc')).toBeUndefined();
    const other = new PlainBrowser();
    other.addCookies(hub, `svc_oidc=${cookie}`);
    const page = await other.open(back.href);
    expect([page.status, page.text]).toEqual([410, expect.stringContaining('used already')]);
    expect(await whoIs(world, other)).toBeUndefined();
  });

  test('sends a person to another browser opens no session there', async () => {
    const back = await comeBack();
    const other = new PlainBrowser();
    expect((await other.open(back.href)).status).toBe(410);
    // A browser with a sign-in of its own is not signed in as the person of the link.
    await other.open(start(), isReturn);
    expect((await other.open(back.href)).status).toBe(401);
    expect(await whoIs(world, other)).toBeUndefined();
  });

  test('returns after ten minutes opens no session', async () => {
    const back = await comeBack();
    world.clock.move(10 * MINUTE_MS);
    expect((await browser.open(back.href)).status).toBe(410);
    expect(await whoIs(world, browser)).toBeUndefined();
  });

  test('has not verified an address gives no account to it', async () => {
    for (const verified of [false, undefined, 'true']) {
      provider.person = { ...provider.person, email_verified: verified };
      const page = await come();
      expect([page.status, page.text]).toEqual([403, expect.stringContaining('no verified email address')]);
    }
    expect(await whoIs(world, browser)).toBeUndefined();
    // There is no account yet: one would not be entered now.
    provider.person = { ...provider.person, email_verified: true };
    await come();
    expect(await whoIs(world, browser)).toBe(provider.person.email);
  });

  describe('names the address of an account', () => {
    let ada: Person;
    const asAda = () => browser.addCookies(world.hub.hubUrl, ada.cookie);
    const link = () =>
      linkPerson(world.hub.hubUrl, { cookie: ada.cookie, origin: world.hub.hubUrl }, browser);
    const linked = async () => (await ada.ask('GET', '/auth/identities')).body.items as { id: string }[];
    beforeEach(async () => {
      ada = await signIn(world, String(provider.person.email));
    });

    test('does not enter it, though it has verified the address', async () => {
      provider.person = { ...provider.person, email: ada.email.toUpperCase() };
      const page = await come();
      expect([page.status, page.text]).toEqual([
        403,
        expect.stringContaining('link Example &amp; Sons in the settings'),
      ]);
      expect([await whoIs(world, browser), await linked()]).toEqual([undefined, []]);
    });

    test('enters it after its owner has linked the sign-in, until they unlink it', async () => {
      asAda();
      expect((await link()).url.pathname).toBe('/dashboard/settings');
      const [identity] = await linked();
      browser = new PlainBrowser();
      // The address may change at the provider; the identity is the subject.
      provider.person = { ...provider.person, email: 'changed@example.com' };
      await come();
      expect(await whoIs(world, browser)).toBe(ada.email);
      const eve = await signIn(world, `eve-${ada.email}`);
      expect((await eve.ask('DELETE', `/auth/identities/${identity?.id}`)).status).toBe(404);
      expect((await ada.ask('DELETE', `/auth/identities/${identity?.id}`)).status).toBe(204);
      expect((await ada.ask('DELETE', `/auth/identities/${identity?.id}`)).status).toBe(404);
      provider.person = { ...provider.person, email: ada.email };
      browser = new PlainBrowser();
      expect((await come()).status).toBe(403);
      const { items } = (await ada.ask('GET', '/audit')).body as { items: { action: string }[] };
      expect(items.map(({ action }) => action)).toEqual([
        'account.identity_unlinked',
        'account.signed_in',
        'account.identity_linked',
        'account.signed_in',
        'workspace.created',
      ]);
    });

    test.each([
      ['an address that is not verified', { email_verified: false }, 403],
      ['another address', { email: 'another@example.com' }, 403],
    ])('links nothing with %s', async (_what, claims, status) => {
      asAda();
      provider.person = { ...provider.person, ...claims };
      expect((await link()).status).toBe(status);
      expect(await linked()).toEqual([]);
    });

    test('links nothing for a person who is signed out, or in as another person, when they return', async () => {
      expect((await link()).status).toBe(401);
      const eve = await signIn(world, `eve-${ada.email}`);
      browser.addCookies(world.hub.hubUrl, eve.cookie);
      expect((await link()).status).toBe(401);
      expect(await linked()).toEqual([]);
    });

    test('links no identity that another account has', async () => {
      asAda();
      await link();
      const bob = await signIn(world, `bob-${ada.email}`);
      [ada, browser] = [bob, new PlainBrowser()];
      provider.person = { ...provider.person, email: bob.email };
      asAda();
      expect((await link()).status).toBe(403);
      expect(await linked()).toEqual([]);
    });

    test('is another one than before: the same subject there is a stranger', async () => {
      asAda();
      await link();
      await using foreign = new BrokenProvider();
      foreign.person = provider.person;
      env.SVC_OIDC_ISSUER = foreign.issuer;
      await world.restart();
      browser = new PlainBrowser();
      expect([(await come()).status, await whoIs(world, browser)]).toEqual([403, undefined]);
      env.SVC_OIDC_ISSUER = provider.issuer;
      await world.restart();
      await come();
      expect(await whoIs(world, browser)).toBe(ada.email);
    });
  });

  test('brings a person without an invitation is refused where sign-up is closed', async () => {
    env.SVC_SIGNUP = 'invited';
    await world.restart();
    const page = await come();
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('invited people only')]);
    provider.person = { ...provider.person, email: 'second-operator@localhost' };
    env.SVC_OPERATORS = 'operator@localhost,second-operator@localhost';
    await world.restart();
    await come();
    expect(await whoIs(world, browser)).toBe('second-operator@localhost');
    delete env.SVC_SIGNUP;
    await world.restart();
  });

  test('never says whether an address is verified is believed when the operator vouches for it', async () => {
    env.SVC_OIDC_EMAIL_VERIFIED = 'always';
    await world.restart();
    provider.person = { ...provider.person, email_verified: false };
    expect((await come()).status).toBe(403);
    provider.person = { ...provider.person, email_verified: undefined };
    await come();
    expect(await whoIs(world, browser)).toBe(provider.person.email);
    delete env.SVC_OIDC_EMAIL_VERIFIED;
    await world.restart();
  });

  test('cannot be reached is no reason to be locked out: the page leads back to the link by mail', async () => {
    env.SVC_OIDC_ISSUER = `http://127.0.0.1:${await freePort()}`;
    await world.restart();
    const page = await come();
    expect([page.status, page.text]).toEqual([503, expect.stringContaining('href="/login"')]);
    env.SVC_OIDC_ISSUER = `${provider.issuer}/`;
    await world.restart();
    await come();
    expect(await whoIs(world, browser)).toBe(provider.person.email);
  });
});

test('a hub without a provider has no button and no way there', async () => {
  await using world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  const browser = new PlainBrowser();
  expect((await browser.open(`${world.hub.hubUrl}/login`)).text).not.toContain('/login/oidc');
  expect((await browser.open(`${world.hub.hubUrl}/login/oidc`)).status).toBe(404);
  expect((await browser.open(`${world.hub.hubUrl}/login/oidc/callback`)).status).toBe(404);
});
