// Sign-in at LemonLDAP::NG of Debian: a provider that shares no code with our client (decision 71, single sign-on).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { freePort } from '../free-port.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { LEMON_SECRET, lemonldapMissing, startLemonldap } from '../lemonldap.ts';
import { openIdSettings, type TestProvider } from '../openid-providers.ts';
import { type Person, personWith, signIn } from '../people.ts';
import { PlainBrowser } from '../plain-browser.ts';

describe.skipIf(lemonldapMissing !== undefined)('at LemonLDAP::NG', () => {
  let world: HubWorld;
  let provider: TestProvider;
  let ada: Person;
  const env: Record<string, string> = {
    SVC_RATE_LIMITS: 'off',
    SVC_OIDC_GROUPS_CLAIM: 'groups',
    SVC_OIDC_GROUPS_WORKSPACES: '*',
  };
  beforeAll(async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    Object.assign(env, openIdSettings(issuer), { SVC_OIDC_CLIENT_SECRET: LEMON_SECRET });
    env.SVC_OIDC_SCOPES = 'openid email profile groups';
    world = await hubWorld({ env });
    provider = await startLemonldap(issuer, [`${world.hub.hubUrl}/login/oidc/callback`]);
    ada = await signIn(world, 'ada@example.com');
    const groups = [{ group: 'timelords', role: 'admin' }];
    expect((await ada.ask('PUT', '/team/groups', { body: { groups } })).status).toBe(200);
  });
  afterAll(async () => {
    await provider[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  const comeAs = async (name: string) => {
    const browser = new PlainBrowser();
    const login = await browser.open(`${world.hub.hubUrl}/login/oidc`);
    expect(login.text).toContain('name="password"');
    const fields = { user: name, password: name };
    const opened = await browser.submit(login, fields, ({ pathname }) => pathname === '/dashboard');
    expect([opened.status, opened.text]).toEqual([0, '']);
    return personWith(world, '', browser.header(world.hub.hubUrl));
  };

  test('a person signs in with code, PKCE and ID token, and gets the role of their group', async () => {
    const doctor = await comeAs('dwho');
    expect((await doctor.ask('GET', '/workspace')).body).toMatchObject({ email: 'dwho@badwolf.org' });
    expect((await doctor.ask('GET', '/auth/identities')).body.items).toMatchObject([
      { issuer: provider.issuer, email: 'dwho@badwolf.org' },
    ]);
    const rose = await comeAs('rtyler');
    expect((await rose.ask('GET', '/workspace')).body).toMatchObject({ email: 'rtyler@badwolf.org' });
    const { items } = (await ada.ask('GET', '/team/members')).body as {
      items: { email: string; role: string; group: string }[];
    };
    expect(items.map(({ email, role, group }) => [email, role, group])).toEqual([
      ['dwho@badwolf.org', 'admin', 'timelords'],
    ]);
    // The group has another role at the next sign-in.
    const groups = [
      { group: 'timelords', role: 'viewer' },
      { group: 'earthlings', role: 'member' },
    ];
    expect((await ada.ask('PUT', '/team/groups', { body: { groups } })).status).toBe(200);
    await comeAs('rtyler');
    expect((await ada.ask('GET', '/team/members')).body.items).toMatchObject([
      { email: 'dwho@badwolf.org', role: 'viewer' },
      { email: 'rtyler@badwolf.org', role: 'member' },
    ]);
  });

  test('a return of another provider, and one that was used, open no session', async () => {
    const browser = new PlainBrowser();
    const login = await browser.open(`${world.hub.hubUrl}/login/oidc`);
    const fields = { user: 'dwho', password: 'dwho' };
    const back = await browser.submit(login, fields, ({ pathname }) => pathname === '/login/oidc/callback');
    const mixed = new URL(back.url);
    mixed.searchParams.set('iss', 'http://127.0.0.1:1');
    expect((await browser.open(mixed.href)).status).toBe(401);
    expect((await browser.open(back.url.href)).status).toBe(410);
    const { status } = await personWith(world, '', browser.header(world.hub.hubUrl)).ask('GET', '/workspace');
    expect(status).toBe(401);
  });

  test('a client with a wrong secret opens no session', async () => {
    env.SVC_OIDC_CLIENT_SECRET = 'another';
    await world.restart();
    const browser = new PlainBrowser();
    const login = await browser.open(`${world.hub.hubUrl}/login/oidc`);
    const page = await browser.submit(login, { user: 'dwho', password: 'dwho' });
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('not valid')]);
    env.SVC_OIDC_CLIENT_SECRET = LEMON_SECRET;
    await world.restart();
    await comeAs('dwho');
  });
});
