// Sign-in at an OpenID provider (decision 71, single sign-on): a certified provider for the good way, and one that breaks each
// rule in turn.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { certifiedProvider } from '../certified-provider.ts';
import { postForm } from '../forms.ts';
import { freePort } from '../free-port.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import {
  BrokenProvider,
  FAULTS,
  type Fault,
  linkPerson,
  openIdSettings,
  type TestProvider,
} from '../openid-providers.ts';
import { linkTo, type Person, personWith, signIn } from '../people.ts';
import { PlainBrowser } from '../plain-browser.ts';
import { giveFactor, openLink, sendFactor } from '../second-factor.ts';

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
    // The provider has the time of this machine.
    world.clock.move(Date.now() - world.clock.nowMs());
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

  test('a person who signs out at the provider is signed out here', async () => {
    const [here, other] = [new PlainBrowser(), new PlainBrowser()];
    for (const browser of [here, other]) {
      const back = await toTheReturn(browser, 'leaves@example.com');
      await browser.open(back.href, ({ pathname }) => pathname === '/dashboard');
    }
    const question = await here.open(`${provider.issuer}/session/end`);
    await here.submit(question, { logout: 'yes' });
    expect(await whoIs(world, here)).toBeUndefined();
    // This session began in another session of the provider.
    expect(await whoIs(world, other)).toBe('leaves@example.com');
    const { items } = (await personIn(world, other).ask('GET', '/audit?limit=1')).body as {
      items: { action: string; actor: { name: string }; details: object }[];
    };
    const details = { of: 'session', issuer: provider.issuer, sessions: 1 };
    expect(items).toMatchObject([
      { action: 'account.signed_out', actor: { name: 'Example & Sons' }, details },
    ]);
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
    provider = await BrokenProvider.start();
    env = {
      ...settingsOf(provider.issuer),
      SVC_OIDC_GROUPS_CLAIM: 'realm_access.roles',
      SVC_OIDC_GROUPS_WORKSPACES: '*',
    };
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

  describe('sends a logout token', () => {
    const send = async (token: string, ...more: string[]) => {
      const body = new URLSearchParams([token, ...more].map((one) => ['logout_token', one]));
      const response = await fetch(`${world.hub.hubUrl}/login/oidc/logout`, { method: 'POST', body });
      return [response.status, await response.text()];
    };
    const logout = (claims: Record<string, unknown>, signature?: Fault['signature']) =>
      provider.logoutToken({ iat: Math.floor(world.clock.nowMs() / 1000), ...claims }, signature);
    /** A browser whose session began in this session of the provider. */
    const comeIn = async (sid: string | undefined) => {
      provider.fault = { claims: { sid } };
      browser = new PlainBrowser();
      await come();
      expect(await whoIs(world, browser)).toBe(provider.person.email);
      return browser;
    };
    const areIn = async (...all: PlainBrowser[]) =>
      (await Promise.all(all.map((one) => whoIs(world, one)))).map((email) => email !== undefined);

    test('ends the sessions of that sign-in, or of the person, and streams with them', async () => {
      const [one, two, unnamed] = [await comeIn('s1'), await comeIn('s2'), await comeIn(undefined)];
      const sub = provider.person.sub;
      const stranger = provider.person;
      provider.person = { sub: `x-${sub}`, email: `x-${sub}@example.com`, email_verified: true };
      const other = await comeIn('s3');
      provider.person = stranger;
      const stream = await fetch(`${world.hub.hubUrl}/events`, {
        headers: { cookie: one.header(world.hub.hubUrl) },
      });
      expect(stream.status).toBe(200);
      expect(await send(await logout({ sub, sid: 's1' }))).toEqual([200, '']);
      await stream.text();
      expect(await areIn(one, two, unnamed, other)).toEqual([false, true, false, true]);
      expect(await send(await logout({ sub }))).toEqual([200, '']);
      expect(await areIn(two, other)).toEqual([false, true]);
      expect(await send(await logout({ sid: 's3' }))).toEqual([200, '']);
      expect(await areIn(other)).toEqual([false]);
    });

    test('works once', async () => {
      const { sub } = provider.person;
      await comeIn('s1');
      const token = await logout({ sub });
      expect(await send(token)).toEqual([200, '']);
      const again = await comeIn('s1');
      expect(await send(token)).toEqual([400, expect.stringContaining('used before')]);
      expect(await areIn(again)).toEqual([true]);
    });

    test('that is forged, of another kind or not alone ends nothing', async () => {
      const { sub } = provider.person;
      const person = await comeIn('s1');
      const wrong = [
        await logout({ sub }, 'forged'),
        await logout({ sub, nonce: 'n' }),
        await logout({ sub, aud: 'another' }),
        await logout({ sub, iss: 'http://127.0.0.1:1' }),
        'no token',
      ];
      for (const token of wrong) expect((await send(token))[0]).toBe(400);
      expect((await send(await logout({ sub }), await logout({ sub })))[0]).toBe(400);
      expect(await areIn(person)).toEqual([true]);
      expect(await send(await logout({ sub }))).toEqual([200, '']);
      expect(await areIn(person)).toEqual([false]);
    });

    test('does not end the session of a link by mail', async () => {
      const ada = await signIn(world, String(provider.person.email));
      browser.addCookies(world.hub.hubUrl, ada.cookie);
      await linkPerson(world.hub.hubUrl, { cookie: ada.cookie, origin: world.hub.hubUrl }, browser);
      const linked = await comeIn('s1');
      expect(await send(await logout({ sub: provider.person.sub }))).toEqual([200, '']);
      expect(await areIn(linked)).toEqual([false]);
      expect((await ada.ask('GET', '/workspace')).status).toBe(200);
    });
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
      await using foreign = await BrokenProvider.start();
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

  describe('sends the groups of a person', () => {
    let ada: Person;
    const name = () => ada.email.split('@')[0] ?? '';
    const inTeam = () => ({ workspace: name() });
    const setGroups = (groups: object[]) => ada.ask('PUT', '/team/groups', { body: { groups } });
    const joined = async () => {
      const { items } = (await ada.ask('GET', '/team/members')).body as {
        items: { email: string; role: string; group: string | null }[];
      };
      return items.map(({ email, role, group }) => [email, role, group]);
    };
    const lin = () => String(provider.person.email);
    const linkByMail = async () => {
      const body = JSON.stringify({ email: lin() });
      const headers = { 'content-type': 'application/json' };
      await fetch(`${world.hub.hubUrl}/auth/magic-link`, { method: 'POST', headers, body });
      return await linkTo(world, lin());
    };
    const comeFrom = async (...roles: string[]): Promise<Person> => {
      provider.person = { ...provider.person, realm_access: { roles } };
      browser = new PlainBrowser();
      await come();
      expect(await whoIs(world, browser)).toBe(lin());
      return personIn(world, browser);
    };
    beforeEach(async () => {
      ada = await signIn(world, `ada-${crypto.randomUUID().slice(0, 8)}@example.com`);
      await ada.ask('PUT', '/workspace/username', { body: { username: name() } });
      const rules = [
        { group: 'run', role: 'member' },
        { group: 'lead', role: 'admin', domains: [] },
        { group: '*', role: 'viewer', domains: [`${name()}.example`] },
      ];
      expect((await setGroups(rules)).status).toBe(200);
    });

    test('gives them the role of their strongest group, until they leave the last one', async () => {
      const before = await comeFrom('other');
      expect(await joined()).toEqual([]);
      const member = await comeFrom('run');
      expect(await joined()).toEqual([[lin(), 'member', 'run']]);
      expect((await before.ask('GET', '/workspace')).status).toBe(401);
      const key = await member.ask('POST', '/api-keys', { body: { name: 'k' }, ...inTeam() });
      expect(key.status).toBe(201);
      const admin = await comeFrom('run', 'lead');
      expect(await joined()).toEqual([[lin(), 'admin', 'lead']]);
      // The change of the role ended the earlier session.
      expect((await member.ask('GET', '/workspace')).status).toBe(401);
      expect((await admin.ask('GET', '/team/invites', inTeam())).status).toBe(200);
      expect((await admin.ask('GET', '/team/groups', inTeam())).status).toBe(403);
      expect((await admin.ask('PUT', '/team/groups', { body: { groups: [] }, ...inTeam() })).status).toBe(
        403,
      );
      const gone = await comeFrom();
      expect(await joined()).toEqual([]);
      expect((await admin.ask('GET', '/workspace')).status).toBe(401);
      expect((await gone.ask('GET', '/endpoints', inTeam())).status).toBe(403);
      expect((await ada.ask('GET', '/api-keys')).body.items).toMatchObject([
        { name: 'k', revoked_at: expect.any(String) },
      ]);
      const { items } = (await ada.ask('GET', '/audit?limit=6')).body as {
        items: { action: string; actor: { name: string }; details: object }[];
      };
      expect(items.map(({ action, actor, details }) => [action, actor.name, details])).toEqual([
        ['member.removed', 'Example & Sons', { role: 'admin', group: 'lead' }],
        ['member.role_changed', 'Example & Sons', { role: 'admin', group: 'lead' }],
        ['api_key.made', lin(), expect.anything()],
        ['member.joined', 'Example & Sons', { role: 'member', group: 'run' }],
        ['member.groups_set', ada.email, { groups: expect.anything() }],
        ['workspace.username_chosen', ada.email, expect.anything()],
      ]);
    });

    test('counts all of them for grants, as the last sign-in proved them', async () => {
      await comeFrom('run', 'db', 'other');
      const endpoint = { name: 'backup', command: 'true' };
      expect((await ada.ask('POST', '/endpoints', { body: endpoint })).status).toBe(201);
      await ada.ask('PUT', '/team/endpoint-access', { body: { access: 'by_grants' } });
      const body = { grantee_kind: 'group', grantee: 'db', endpoints: ['backup'], can: ['run'] };
      expect((await ada.ask('POST', '/team/endpoint-grants', { body })).status).toBe(201);
      const seen = async (person: Person) => {
        const { items } = (await person.ask('GET', '/endpoints', inTeam())).body as {
          items: { slug: string }[];
        };
        return items.map(({ slug }) => slug);
      };
      const first = await comeFrom('run', 'db');
      expect(await seen(first)).toEqual(['backup']);
      const holders = await ada.ask('GET', '/endpoints/backup/holders');
      expect(holders.body.items).toContainEqual(
        expect.objectContaining({ name: lin(), can: ['view', 'run'] }),
      );
      const tail = await fetch(`${world.hub.hubUrl}/tail`, {
        headers: { cookie: first.cookie, 'x-svc-workspace': name() },
      });
      expect(tail.status).toBe(200);
      const second = await comeFrom('run', 'other');
      // Earlier sessions go on without the rights of the group.
      expect([await seen(first), await seen(second)]).toEqual([[], []]);
      expect(await tail.text()).toContain('ready');
      await comeFrom('run', 'db');
      expect(await seen(first)).toEqual(['backup']);
      // Where the provider leaves the groups out, those of before stay.
      provider.person = {
        ...provider.person,
        realm_access: undefined,
        _claim_names: { 'realm_access.roles': 'x' },
      };
      await come();
      expect(await seen(first)).toEqual(['backup']);
      const { items } = (await ada.ask('GET', '/audit?action=member.groups_changed')).body as {
        items: { actor: { name: string }; details: object }[];
      };
      expect(items.map(({ actor, details }) => [actor.name, details])).toEqual([
        [lin(), { gained: ['db'], lost: [] }],
        [lin(), { gained: [], lost: ['db'] }],
      ]);
    });

    test('gives rights by groups to a member by hand until they sign in without the provider', async () => {
      await ada.ask('POST', '/team/invite', { body: { email: lin(), role: 'viewer' } });
      const invitation = await linkTo(world, lin());
      expect((await (await signIn(world, lin())).ask('POST', invitation)).status).toBe(200);
      await ada.ask('POST', '/endpoints', { body: { name: 'backup', command: 'true' } });
      const body = { grantee_kind: 'group', grantee: 'db', endpoints: ['*'], can: ['edit'] };
      await ada.ask('POST', '/team/endpoint-grants', { body });
      const rights = async (person: Person) => {
        const { items } = (await ada.ask('GET', '/endpoints/backup/holders')).body as {
          items: { name: string; can: string[] }[];
        };
        const change = await person.ask('PATCH', '/endpoints/backup', {
          ...inTeam(),
          body: { description: 'x' },
        });
        return [items.find((one) => one.name === lin())?.can, change.status];
      };
      const byMail = await signIn(world, lin());
      expect(await rights(byMail)).toEqual([['view'], 403]);
      provider.person = { ...provider.person, realm_access: { roles: ['db'] } };
      await linkPerson(world.hub.hubUrl, { cookie: byMail.cookie, origin: world.hub.hubUrl });
      expect(await rights(byMail)).toEqual([['view', 'edit'], 200]);
      const again = await signIn(world, lin());
      expect(await rights(again)).toEqual([['view'], 403]);
      expect(await rights(await comeFrom('db'))).toEqual([['view', 'edit'], 200]);
      const { items } = (await again.ask('GET', '/auth/identities')).body as { items: { id: string }[] };
      expect((await again.ask('DELETE', `/auth/identities/${items[0]?.id}`)).status).toBe(204);
      expect(await rights(again)).toEqual([['view'], 403]);
    });

    test('stay those of a person while another sign-in of theirs has proved one factor only', async () => {
      await ada.ask('POST', '/team/invite', { body: { email: lin(), role: 'viewer' } });
      const invitation = await linkTo(world, lin());
      const person = await signIn(world, lin());
      expect((await person.ask('POST', invitation)).status).toBe(200);
      await ada.ask('POST', '/endpoints', { body: { name: 'backup', command: 'true' } });
      const body = { grantee_kind: 'group', grantee: 'db', endpoints: ['*'], can: ['edit'] };
      await ada.ask('POST', '/team/endpoint-grants', { body });
      const edit = async () =>
        (await person.ask('PATCH', '/endpoints/backup', { ...inTeam(), body: { description: 'x' } })).status;
      provider.person = { ...provider.person, realm_access: { roles: ['db'] } };
      await linkPerson(world.hub.hubUrl, { cookie: person.cookie, origin: world.hub.hubUrl });
      expect(await edit()).toBe(200);
      const [first, second] = ['7k3m-q0vd-x2hs-9rtw', '7k3m-q0vd-x2hs-9rtx'] as const;
      giveFactor(world, lin(), [first, second]);
      // A person who has only the mailbox takes no right away.
      const { person: byMail } = await openLink(world, lin());
      expect(await edit()).toBe(200);
      browser = new PlainBrowser();
      await come();
      expect((await sendFactor(world, personIn(world, browser), { code: first })).status).toBe(303);
      expect(await edit()).toBe(200);
      expect((await sendFactor(world, byMail, { code: second })).status).toBe(303);
      expect(await edit()).toBe(403);
    });

    test('admits a verified address of a domain, and none that is only claimed', async () => {
      provider.person = { ...provider.person, email: `lin@${name()}.example` };
      await comeFrom();
      expect(await joined()).toEqual([[lin(), 'viewer', '*']]);
      // The identity is known, but its address is no longer verified.
      provider.person = { ...provider.person, email_verified: false };
      await comeFrom();
      expect(await joined()).toEqual([]);
    });

    test('leaves memberships by hand alone, and that of the owner', async () => {
      const bob = await comeFrom('run');
      const { items } = (await ada.ask('GET', '/team/members')).body as { items: { id: string }[] };
      const id = items[0]?.id;
      await ada.ask('PATCH', `/team/members/${id}`, { body: { role: 'viewer' } });
      expect((await bob.ask('GET', '/workspace')).status).toBe(401);
      await comeFrom('lead');
      await comeFrom();
      expect(await joined()).toEqual([[lin(), 'viewer', null]]);
      provider.person = { sub: crypto.randomUUID(), email: ada.email, email_verified: true };
      provider.person = { ...provider.person, realm_access: { roles: ['run'] } };
      browser.addCookies(world.hub.hubUrl, ada.cookie);
      await linkPerson(world.hub.hubUrl, { cookie: ada.cookie, origin: world.hub.hubUrl }, browser);
      await come();
      expect((await personIn(world, browser).ask('GET', '/workspace')).body.role).toBe('owner');
    });

    test('and leaves them out because they are too many changes nothing', async () => {
      await comeFrom('run');
      const { realm_access: _, ...rest } = provider.person;
      provider.person = { ...rest, _claim_names: { 'realm_access.roles': 'src1' } };
      browser = new PlainBrowser();
      await come();
      expect(await joined()).toEqual([[lin(), 'member', 'run']]);
      provider.person = rest;
      browser = new PlainBrowser();
      await come();
      expect(await joined()).toEqual([]);
    });

    test('and asks for them again after a day: a link by mail is not enough for their members', async () => {
      const person = await comeFrom('run');
      const refused = await postForm(await linkByMail());
      expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('sign in there')]);
      expect(refused.headers.get('set-cookie')).toBeNull();
      const { items } = (await person.ask('GET', '/auth/sessions')).body as {
        items: { expires_at: string }[];
      };
      const lives = items.map(({ expires_at: at }) => Date.parse(at) - world.clock.nowMs());
      expect(lives).toEqual([24 * 60 * MINUTE_MS]);
      // Without a group, the link works again.
      await comeFrom();
      expect((await postForm(await linkByMail())).status).toBe(303);
    });

    test('brings them only into workspaces that the operator names, and leaves operators the link by mail', async () => {
      await comeFrom('run');
      env.SVC_OIDC_GROUPS_WORKSPACES = 'another';
      await world.restart();
      expect((await setGroups([{ group: 'run', role: 'admin' }])).status).toBe(403);
      expect((await ada.ask('GET', '/team/groups')).body.claim).toBeNull();
      await comeFrom('run');
      expect(await joined()).toEqual([]);
      env.SVC_OIDC_GROUPS_WORKSPACES = `another,${name()}`;
      env.SVC_OPERATORS = `operator@localhost,${lin()}`;
      await world.restart();
      await comeFrom('run');
      expect(await joined()).toEqual([[lin(), 'member', 'run']]);
      expect((await postForm(await linkByMail())).status).toBe(303);
      env.SVC_OIDC_GROUPS_WORKSPACES = '*';
      delete env.SVC_OPERATORS;
      await world.restart();
    });

    test('removes the members of a group that has no role any more, at once', async () => {
      const person = await comeFrom('run');
      const groups = [{ group: 'lead', role: 'admin', domains: [] }];
      expect((await setGroups(groups)).body).toEqual({
        provider: 'Example & Sons',
        by_scim: false,
        claim: 'realm_access.roles',
        groups,
      });
      expect(await joined()).toEqual([]);
      expect((await person.ask('GET', '/workspace')).status).toBe(401);
    });

    test('makes no owner, and no member of everyone in the world', async () => {
      const wrong = [
        [{ group: 'run', role: 'owner' }],
        [{ group: '*', role: 'viewer' }],
        [{ group: '', role: 'viewer' }],
        [{ group: 'a', role: 'viewer', domains: ['not a domain'] }],
        [
          { group: 'a', role: 'viewer' },
          { group: 'a', role: 'admin' },
        ],
      ];
      for (const groups of wrong) expect((await setGroups(groups)).status).toBe(400);
    });

    test('admits them where sign-up is closed, by a group with a role', async () => {
      env.SVC_SIGNUP = 'invited';
      await world.restart();
      provider.person = { ...provider.person, realm_access: { roles: ['other'] } };
      expect((await come()).status).toBe(403);
      env.SVC_OIDC_GROUPS_WORKSPACES = 'another';
      await world.restart();
      provider.person = { ...provider.person, realm_access: { roles: ['run'] } };
      expect((await come()).status).toBe(403);
      env.SVC_OIDC_GROUPS_WORKSPACES = '*';
      await world.restart();
      await comeFrom('run');
      expect(await joined()).toEqual([[lin(), 'member', 'run']]);
      delete env.SVC_SIGNUP;
      await world.restart();
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
  const logout = await fetch(`${world.hub.hubUrl}/login/oidc/logout`, { method: 'POST' });
  expect(logout.status).toBe(404);
});
