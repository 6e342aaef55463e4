// Sign-in at the provider of a workspace (decision 92, providers of workspaces): it signs in to its workspace only, and only people
// who linked it to their account.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { BrokenProvider, CLIENT_ID, CLIENT_SECRET, FAULTS } from '../openid-providers.ts';
import { linkTo, type Person, personWith, signIn } from '../people.ts';
import { type Opened, PlainBrowser } from '../plain-browser.ts';
import { postgresMissing } from '../postgres.ts';
import { giveFactor, sendFactor, signedInBy } from '../second-factor.ts';
import { twoHubs } from '../two-hubs.ts';

const OPERATOR = 'op@example.com';
const ENV = {
  SVC_RATE_LIMITS: 'off',
  SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1/32',
  SVC_OPERATORS: `operator@localhost,${OPERATOR}`,
};

/** The routes of an account, which a session for one workspace and its tokens do not open. */
const ACCOUNT_ROUTES: [string, string][] = [
  ['GET', '/auth/identities'],
  ['POST', '/auth/passkeys/challenge'],
  ['GET', '/auth/sessions'],
  ['POST', '/auth/logout/everywhere'],
  ['POST', '/auth/token'],
  ['GET', '/tokens'],
];

let world: HubWorld;
let provider: BrokenProvider;
let ada: Person;
let acme: string;
let browser: PlainBrowser;

const url = (path: string) => `${world.hub.hubUrl}${path}`;
const isDashboard = ({ pathname }: URL) => pathname === '/dashboard';
const isReturn = ({ pathname }: URL) => pathname.endsWith('/callback');
const personIn = (of: PlainBrowser) => personWith(world, '', of.header(world.hub.hubUrl));
const lin = () => String(provider.person.email);
const inAcme = () => ({ workspace: acme });

/** Somebody with a workspace that has a username. */
async function ownerOf(username: string): Promise<Person> {
  const owner = await signIn(world, `${username}@example.com`);
  expect((await owner.ask('PUT', '/workspace/username', { body: { username } })).status).toBe(200);
  return owner;
}

const settings = (more: object = {}) => ({
  issuer: provider.issuer,
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  name: 'Example & Sons',
  groups_claim: 'groups',
  ...more,
});

const name = async (owner: Person, more: object = {}) => {
  const answer = await owner.ask('PUT', '/workspace/sign-in-provider', { body: settings(more) });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
};
const setGroups = (groups: object[]) => ada.ask('PUT', '/team/groups', { body: { groups } });

/** From the provider to where the browser arrives: the dashboard, which is not opened, or a page. */
const come = (of = browser, username = acme) => of.open(url(`/login/workspace/${username}`), isDashboard);

/** Links the person of the provider to their account, from the page on which they arrive, and signs in. */
async function linkAndCome(of = browser): Promise<Person> {
  const page = await come(of);
  expect([page.url.pathname, page.status]).toEqual([`/login/workspace/${acme}/link`, 200]);
  await of.submit(page, {});
  const confirm = await of.open(await linkTo(world, lin()));
  const link = await of.submit(confirm, {});
  expect([link.url.pathname, link.text]).toEqual([
    `/login/workspace/${acme}/link`,
    expect.stringContaining('Link Example &amp; Sons'),
  ]);
  expect((await of.submit(link, {})).text).toContain('From now on');
  expect((await come(of)).url.pathname).toBe('/dashboard');
  return personIn(of);
}

async function auditOf(owner: Person, count: number) {
  const { items } = (await owner.ask('GET', `/audit?limit=${count}`)).body as {
    items: { action: string; actor: { name: string }; details: object }[];
  };
  return items.map(({ action, actor, details }) => [action, actor.name, details]);
}

beforeAll(async () => {
  provider = await BrokenProvider.start();
  world = await hubWorld({ env: ENV });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});
beforeEach(async () => {
  provider.fault = {};
  browser = new PlainBrowser();
  const id = crypto.randomUUID().slice(0, 8);
  provider.person = { sub: id, email: `lin-${id}@example.com`, email_verified: true, groups: ['run'] };
  acme = `acme-${id}`;
  ada = await ownerOf(acme);
  await name(ada);
  expect((await setGroups([{ group: 'run', role: 'member' }])).status).toBe(200);
});

describe('a person at the provider of a workspace', () => {
  test('confirms their address once, links it without scripts, and is then a member by a group', async () => {
    const login = await browser.open(url('/login'));
    expect(login.text).toContain('href="/login/workspace?to="');
    const choice = await browser.open(url('/login/workspace'));
    expect(choice.text).toContain('name="name"');
    const start = await browser.open(url(`/login/workspace?name=${acme.toUpperCase()}&to=/dashboard/team`));
    expect(start.text).toContain(`href="/login/workspace/${acme}?to=%2Fdashboard%2Fteam"`);
    const person = await linkAndCome();
    expect((await person.ask('GET', '/workspace')).body).toMatchObject({
      username: acme,
      role: 'member',
      email: lin(),
      provider_only: true,
      operator: false,
      workspaces: [{ username: acme, role: 'member' }],
    });
    expect((await ada.ask('GET', '/team/members')).body.items).toMatchObject([
      { email: lin(), role: 'member', group: 'run' },
    ]);
    // The second time nothing is asked.
    const again = new PlainBrowser();
    expect((await come(again)).url.pathname).toBe('/dashboard');
    expect(await auditOf(ada, 4)).toEqual([
      ['account.signed_in', lin(), { issuer: provider.issuer }],
      ['account.signed_in', lin(), { issuer: provider.issuer }],
      ['member.joined', 'Example & Sons', { role: 'member', group: 'run' }],
      ['account.identity_linked', lin(), { issuer: provider.issuer }],
    ]);
  });

  test('is asked for the second factor of their account, which opens this workspace only', async () => {
    const person = await linkAndCome();
    const code = '7k3m-q0vd-x2hs-9rtw';
    giveFactor(world, lin(), [code]);
    const again = new PlainBrowser();
    const asked = await come(again);
    expect(asked.url.pathname).toBe('/login/second-factor');
    expect((await personIn(again).ask('GET', '/workspace', inAcme())).status).toBe(401);
    const sent = await sendFactor(world, personIn(again), { code });
    expect(sent.status).toBe(303);
    const confirmed = signedInBy(world, lin(), sent);
    expect((await confirmed.ask('GET', '/workspace')).body).toMatchObject({
      username: acme,
      provider_only: true,
    });
    expect((await confirmed.ask('GET', '/auth/second-factor')).status).toBe(403);
    const { items } = (await ada.ask('GET', '/audit?limit=2')).body as { items: { action: string }[] };
    expect(items.map(({ action }) => action)).toEqual([
      'account.recovery_code_used',
      'account.second_factor_asked',
    ]);
    // The session that began before the factor goes on; only switching it on in the settings ends others.
    expect((await person.ask('GET', '/workspace')).status).toBe(200);
    // Another provider ends the confirmed session, and a pending one with it.
    const third = new PlainBrowser();
    await come(third);
    expect((await ada.ask('DELETE', '/workspace/sign-in-provider')).status).toBe(204);
    expect((await confirmed.ask('GET', '/workspace')).status).toBe(401);
    expect((await personIn(third).ask('GET', '/login/second-factor')).status).toBe(410);
  });

  test('gets a session of a day for this workspace, and for nothing else', async () => {
    const own = await ownerOf(`own-${acme}`);
    provider.person = { ...provider.person, email: own.email };
    browser.addCookies(world.hub.hubUrl, own.cookie);
    const link = await come();
    await browser.submit(link, {});
    await come();
    const person = personIn(browser);
    expect((await person.ask('GET', '/endpoints')).status).toBe(200);
    const elsewhere = await person.ask('GET', '/endpoints', { workspace: `own-${acme}` });
    expect([elsewhere.status, elsewhere.text]).toEqual([403, expect.stringContaining('is for it only')]);
    for (const [method, path] of ACCOUNT_ROUTES) {
      const { status, text } = await person.ask(method, path);
      expect([path, status, text]).toEqual([path, 403, expect.stringContaining('is for it only')]);
    }
    const { items } = (await person.ask('GET', '/workspaces')).body as { items: { username: string }[] };
    expect(items.map(({ username }) => username)).toEqual([acme]);
    // A program gets a token for this workspace only.
    const device = await fetch(url('/auth/device'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const { verification_uri_complete: confirm } = (await device.json()) as Record<string, string>;
    const page = await browser.open(confirm ?? '');
    expect(page.text).not.toContain(`>own-${acme}<`);
    world.clock.move(24 * 3_600_000);
    expect((await person.ask('GET', '/workspace')).status).toBe(401);
    world.clock.move(-24 * 3_600_000);
  });

  test('gets access tokens that open no account and no page of operators either', async () => {
    const own = await signIn(world, OPERATOR);
    const ofOwn = (await own.ask('POST', '/tokens', { body: { name: 'own' } })).body.access_token;
    provider.person = { ...provider.person, email: OPERATOR };
    browser.addCookies(world.hub.hubUrl, own.cookie);
    await browser.submit(await come(), {});
    await come();
    const person = personIn(browser);
    const made = await person.ask('POST', '/tokens', { body: { name: 't' } });
    expect(made.status).toBe(201);
    const post = (path: string, body: object) =>
      fetch(url(path), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then(async (response) => (await response.json()) as Record<string, string>);
    const device = await post('/auth/device', {});
    const page = await browser.open(device.verification_uri_complete ?? '');
    await browser.submit(page, { decision: 'approve' });
    const polled = await post('/auth/device/token', { device_code: device.device_code });
    const withToken = (token: unknown, method: string, path: string) =>
      fetch(url(path), {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(method === 'POST'
          ? { body: JSON.stringify(path === '/workspaces' ? { username: `new-${acme}` } : {}) }
          : {}),
      });
    const statusOf = async (token: unknown, method: string, path: string) =>
      (await withToken(token, method, path)).status;
    expect(await statusOf(ofOwn, 'GET', '/outbox')).toBe(200);
    for (const token of [made.body.access_token, polled.access_token]) {
      expect(await statusOf(token, 'GET', '/endpoints')).toBe(200);
      expect(await (await withToken(token, 'GET', '/workspace')).json()).toMatchObject({
        username: acme,
        provider_only: true,
        operator: false,
        workspaces: [{ username: acme }],
      });
      // An answer with 401 says that the route takes sessions only.
      const opens = [...ACCOUNT_ROUTES, ['POST', '/workspaces'] as const].map(async ([method, path]) => [
        path,
        await statusOf(token, method, path),
      ]);
      const open = (await Promise.all(opens)).filter(([, status]) => status !== 403 && status !== 401);
      expect(open).toEqual([]);
      expect(await statusOf(token, 'GET', '/outbox')).toBe(404);
      expect(await statusOf(token, 'POST', '/auth/logout')).toBe(204);
      expect(await statusOf(token, 'GET', '/endpoints')).toBe(401);
    }
  });

  test('who leaves the last group loses membership, session and key at the next sign-in', async () => {
    const person = await linkAndCome();
    expect((await person.ask('POST', '/api-keys', { body: { name: 'k' } })).status).toBe(201);
    provider.person = { ...provider.person, groups: [] };
    const page = await come(new PlainBrowser());
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('is not a member')]);
    expect((await person.ask('GET', '/workspace')).status).toBe(401);
    expect((await ada.ask('GET', '/api-keys')).body.items).toMatchObject([
      { name: 'k', revoked_at: expect.any(String) },
    ]);
  });

  test('cannot use the workspace with a link by mail, and the workspace says what to do', async () => {
    await linkAndCome();
    const byMail = await signIn(world, lin());
    expect((await byMail.ask('GET', '/workspace')).status).toBe(200);
    const { status, text } = await byMail.ask('GET', '/endpoints', inAcme());
    expect([status, text]).toEqual([403, expect.stringContaining(`/login/workspace/${acme}`)]);
    const token = await byMail.ask('POST', '/auth/token', inAcme());
    expect(token.status).toBe(403);
    // They see the link, and can end it.
    const { items } = (await byMail.ask('GET', '/auth/identities')).body as {
      items: { id: string; workspace: string }[];
    };
    expect(items).toMatchObject([{ workspace: acme, issuer: provider.issuer }]);
    expect((await byMail.ask('DELETE', `/auth/identities/${items[0]?.id}`)).status).toBe(204);
    expect((await come(new PlainBrowser())).url.pathname).toBe(`/login/workspace/${acme}/link`);
  });
});

describe('the provider of a workspace', () => {
  test.each(FAULTS)('that %s opens no session', async (_what, fault) => {
    provider.fault = fault;
    const page = await come();
    expect([page.status, page.text]).toEqual([401, expect.stringContaining('not valid')]);
    provider.fault = {};
    expect((await come()).url.pathname).toBe(`/login/workspace/${acme}/link`);
  });

  test('cannot enter the account with an address that it names', async () => {
    const victim = await ownerOf(`victim-${acme}`);
    provider.person = { ...provider.person, email: victim.email };
    const page = await come();
    expect([page.url.pathname, page.text]).toEqual([
      `/login/workspace/${acme}/link`,
      expect.stringContaining('not linked to an account'),
    ]);
    const send = (of: PlainBrowser): Promise<Opened> =>
      of.open(url(`/login/workspace/${acme}/link`), undefined, new URLSearchParams());
    expect((await send(browser)).status).toBe(401);
    const eve = await signIn(world, `eve-${acme}@example.com`);
    browser.addCookies(world.hub.hubUrl, eve.cookie);
    const refused = await send(browser);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('this account belongs to')]);
    // Neither in the browser of the victim, who was not at the provider.
    const theirs = new PlainBrowser();
    theirs.addCookies(world.hub.hubUrl, victim.cookie);
    expect((await send(theirs)).status).toBe(410);
    expect((await victim.ask('GET', '/auth/identities')).body.items).toEqual([]);
  });

  test('links nothing for another site, nor an address that it has not verified', async () => {
    provider.person = { ...provider.person, email_verified: false };
    expect((await come()).status).toBe(403);
    provider.person = { ...provider.person, email_verified: true };
    const person = await signIn(world, lin());
    browser.addCookies(world.hub.hubUrl, person.cookie);
    await come();
    const foreign = await fetch(url(`/login/workspace/${acme}/link`), {
      method: 'POST',
      headers: { cookie: browser.header(world.hub.hubUrl), origin: 'https://evil.example' },
    });
    expect(foreign.status).toBe(403);
    expect((await person.ask('GET', '/auth/identities')).body.items).toEqual([]);
  });

  test('refuses people who are not members of the workspace', async () => {
    provider.person = { ...provider.person, groups: ['other'] };
    const eve = await signIn(world, lin());
    browser.addCookies(world.hub.hubUrl, eve.cookie);
    await browser.submit(await come(), {});
    const page = await come();
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('is not a member')]);
    expect((await personIn(browser).ask('GET', '/workspace')).body.email).toBe(lin());
    expect((await ada.ask('GET', '/team/members')).body.items).toEqual([]);
  });

  test('is a stranger to every other workspace, also with the same issuer and subject', async () => {
    await linkAndCome();
    const other = `other-${acme}`;
    const eve = await ownerOf(other);
    await name(eve);
    const groups = [{ group: 'run', role: 'admin' }];
    expect((await eve.ask('PUT', '/team/groups', { body: { groups } })).status).toBe(200);
    const stranger = new PlainBrowser();
    expect((await come(stranger, other)).url.pathname).toBe(`/login/workspace/${other}/link`);
    expect((await eve.ask('GET', '/team/members')).body.items).toEqual([]);
  });

  test('gets no return of another one, and none twice', async () => {
    const other = `other-${acme}`;
    const eve = await ownerOf(other);
    await name(eve);
    const back = (await browser.open(url(`/login/workspace/${acme}`), isReturn)).url;
    const mixed = new URL(back);
    mixed.pathname = `/login/workspace/${other}/callback`;
    expect((await browser.open(mixed.href)).status).toBe(410);
    const again = (await browser.open(url(`/login/workspace/${acme}`), isReturn)).url;
    const cookie = browser.cookie(world.hub.hubUrl, 'svc_oidc') ?? '';
    expect((await browser.open(again.href)).status).toBe(200);
    const copy = new PlainBrowser();
    copy.addCookies(world.hub.hubUrl, `svc_oidc=${cookie}`);
    expect((await copy.open(again.href)).status).toBe(410);
    const wrong = (await browser.open(url(`/login/workspace/${acme}`), isReturn)).url;
    wrong.searchParams.set('state', 'another');
    expect((await browser.open(wrong.href)).status).toBe(401);
  });
});

describe('the owner of a workspace', () => {
  test('sees what a provider says about itself, and never its secret', async () => {
    const shown = await ada.ask('GET', '/workspace/sign-in-provider');
    expect(shown.body).toMatchObject({
      provider: { issuer: provider.issuer, has_secret: true, groups_claim: 'groups', required: false },
      redirect_uri: url(`/login/workspace/${acme}/callback`),
      sign_in_url: url(`/login/workspace/${acme}`),
    });
    expect(shown.text).not.toContain(CLIENT_SECRET);
    const body = { issuer: provider.issuer };
    expect((await ada.ask('POST', '/workspace/sign-in-provider/test', { body })).body).toMatchObject({
      token_endpoint: `${provider.issuer}/token`,
      warnings: [],
    });
    // A secret is for the provider that it was given for.
    await using other = await BrokenProvider.start();
    const { client_secret: _, ...without } = settings({ issuer: other.issuer });
    const kept = await ada.ask('PUT', '/workspace/sign-in-provider', { body: without });
    expect([kept.status, kept.text]).toEqual([400, expect.stringContaining('client_secret')]);
  });

  test('has its secret neither in the data of the hub nor in its log', async () => {
    await linkAndCome();
    provider.fault = { claims: { aud: 'another' } };
    await come();
    const files = readdirSync(world.dataDir).map((name) => readFileSync(join(world.dataDir, name), 'latin1'));
    const kept = [...files, ...world.logLines].join('\n');
    // The name of the provider is stored in the same row.
    expect(kept).toContain('Example & Sons');
    expect(kept).not.toContain(CLIENT_SECRET);
  });

  test('cannot make the hub ask an address inside, by the issuer, by its description or by a redirect', async () => {
    const asked: string[] = [];
    using inside = Bun.serve({
      port: 0,
      hostname: '127.0.0.2',
      fetch: (request) => {
        asked.push(request.url);
        return Response.json({});
      },
    });
    const secret = `http://127.0.0.2:${inside.port}`;
    const check = (issuer: string) =>
      ada.ask('POST', '/workspace/sign-in-provider/test', { body: { issuer } });
    const wrong = [
      secret,
      'https://169.254.169.254/latest',
      `http://[::1]:${inside.port}`,
      `https://localhost:${inside.port}`,
      'http://login.example.com',
      'file:///etc/passwd',
      `http://user:pass@127.0.0.1:${inside.port}`,
      `${provider.issuer}?x=1`,
      'https://login.example.com:25',
    ];
    for (const issuer of wrong) expect([issuer, (await check(issuer)).status]).toEqual([issuer, 400]);
    provider.fault = { redirect: `${secret}/.well-known/openid-configuration` };
    expect((await check(provider.issuer)).status).toBe(400);
    for (const field of ['token_endpoint', 'userinfo_endpoint', 'authorization_endpoint']) {
      provider.fault = { description: { [field]: `${secret}/x` } };
      const { status, text } = await check(provider.issuer);
      expect([field, status, text]).toEqual([
        field,
        400,
        expect.stringContaining('not on the public Internet'),
      ]);
    }
    // A description that turns bad later is no way in either.
    provider.fault = { description: { token_endpoint: `${secret}/token`, jwks_uri: `${secret}/keys` } };
    world.clock.move(3_600_000);
    const page = await come();
    expect([page.status, asked]).toEqual([503, []]);
    world.clock.move(-3_600_000);
  });

  test('lets in only people from the provider, keeps a way in, and keys and service accounts go on', async () => {
    const bob = await signIn(world, `bob-${acme}@example.com`);
    const invited = { email: bob.email, role: 'admin' };
    expect((await ada.ask('POST', '/team/invite', { body: invited })).status).toBe(201);
    await bob.ask('POST', new URL(await linkTo(world, bob.email)).pathname);
    const token = (await bob.ask('POST', '/tokens', { body: { name: 't' }, ...inAcme() })).body.access_token;
    const withToken = () =>
      fetch(url('/endpoints'), { headers: { authorization: `Bearer ${token}` } }).then(
        ({ status }) => status,
      );
    const key = (await bob.ask('POST', '/api-keys', { body: { name: 'k' }, ...inAcme() })).body.token;
    const withKey = () =>
      fetch(url(`/v1/${acme}`), { headers: { 'x-api-key': String(key) } }).then(({ status }) => status);
    expect([await withToken(), await withKey()]).toEqual([200, 200]);
    const account = await ada.ask('POST', '/service-accounts', { body: { name: 'ci', role: 'member' } });
    const made = await ada.ask('POST', `/service-accounts/${account.body.id}/keys`, { body: { name: 'ci' } });
    const withService = () =>
      fetch(url('/endpoints'), { headers: { 'x-api-key': String(made.body.token) } }).then(
        ({ status }) => status,
      );
    expect(await withService()).toBe(200);
    const stream = await fetch(url('/events'), {
      headers: { cookie: bob.cookie, 'x-svc-workspace': acme },
    });
    expect(stream.status).toBe(200);
    await name(ada, { required: true });
    await stream.text();
    const refused = await bob.ask('GET', '/endpoints', inAcme());
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining(`/login/workspace/${acme}`),
    ]);
    expect([await withToken(), await withKey(), await withService()]).toEqual([401, 200, 200]);
    expect((await bob.ask('GET', '/workspace')).status).toBe(200);
    // The owner keeps the link by mail.
    expect((await ada.ask('GET', '/endpoints')).status).toBe(200);
    provider.person = { ...provider.person, email: bob.email, groups: [] };
    browser.addCookies(world.hub.hubUrl, bob.cookie);
    await browser.submit(await come(), {});
    await come();
    expect((await personIn(browser).ask('GET', '/endpoints')).status).toBe(200);
    expect((await ada.ask('GET', '/team/members')).body.items).toMatchObject([
      { email: bob.email, role: 'admin', group: null },
    ]);
    const details = { issuer: provider.issuer, client_id: CLIENT_ID, groups_claim: 'groups' };
    expect((await auditOf(ada, 3)).at(-1)).toEqual([
      'workspace.sign_in_set',
      ada.email,
      { ...details, required: true },
    ]);
  });

  test('ends the sessions of a provider by naming another one, or none', async () => {
    const person = await linkAndCome();
    await name(ada, { client_id: 'another' });
    expect((await person.ask('GET', '/workspace')).status).toBe(401);
    await name(ada);
    await come();
    const back = personIn(browser);
    expect((await back.ask('GET', '/workspace')).status).toBe(200);
    expect((await back.ask('DELETE', '/workspace/sign-in-provider')).status).toBe(403);
    expect((await ada.ask('DELETE', '/workspace/sign-in-provider')).status).toBe(204);
    expect((await back.ask('GET', '/workspace')).status).toBe(401);
    expect((await come()).status).toBe(404);
    // A member by a group is one by hand from now on, and uses the link by mail.
    const byMail = await signIn(world, lin());
    expect((await byMail.ask('GET', '/endpoints', inAcme())).status).toBe(200);
    expect((await byMail.ask('GET', '/auth/identities')).body.items).toEqual([]);
    expect((await ada.ask('DELETE', '/workspace/sign-in-provider')).status).toBe(404);
    expect((await auditOf(ada, 1))[0]?.slice(0, 2)).toEqual(['workspace.sign_in_removed', ada.email]);
  });

  test('is the only one who names a provider, from a browser', async () => {
    const body = settings();
    const token = (await ada.ask('POST', '/auth/token')).body.access_token;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = { method: 'PUT', headers, body: JSON.stringify(body) };
    expect((await fetch(url('/workspace/sign-in-provider'), sent)).status).toBe(401);
    const person = await linkAndCome();
    expect((await person.ask('PUT', '/workspace/sign-in-provider', { body })).status).toBe(403);
  });
});

describe.skipIf(postgresMissing !== undefined)('two hubs', () => {
  test('know the same provider, and end its sessions together', async () => {
    const first = world;
    await using hubs = await twoHubs(ENV);
    const { other } = hubs;
    world = hubs.one;
    try {
      ada = await ownerOf(acme);
      await name(ada);
      await setGroups([{ group: 'run', role: 'member' }]);
      const person = await linkAndCome();
      const there = personWith(other, '', person.cookie);
      expect((await there.ask('GET', '/workspace')).body).toMatchObject({
        username: acme,
        provider_only: true,
      });
      expect((await there.ask('GET', '/auth/sessions')).status).toBe(403);
      const stream = await fetch(`${other.hub.hubUrl}/events`, { headers: { cookie: person.cookie } });
      expect(stream.status).toBe(200);
      expect((await ada.ask('DELETE', '/workspace/sign-in-provider')).status).toBe(204);
      expect((await there.ask('GET', '/workspace')).status).toBe(401);
      other.clock.move(5_000);
      await stream.text();
    } finally {
      world = first;
    }
  });
});
