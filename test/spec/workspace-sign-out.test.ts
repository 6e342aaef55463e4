// Sign-out at the provider of a workspace (decision 107, sign-out at the provider of a workspace).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { certifiedProvider } from '../certified-provider.ts';
import { freePort } from '../free-port.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { MovableClock } from '../movable-clock.ts';
import {
  BrokenProvider,
  CLIENT_ID,
  CLIENT_SECRET,
  type Fault,
  openIdSettings,
  type TestProvider,
} from '../openid-providers.ts';
import { type Person, personWith, signIn } from '../people.ts';
import { PlainBrowser } from '../plain-browser.ts';
import { postgresMissing } from '../postgres.ts';
import { runSvc } from '../program.ts';
import { twoHubs } from '../two-hubs.ts';

const ENV = { SVC_RATE_LIMITS: 'off', SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1/32' };

const isDashboard = ({ pathname }: URL) => pathname === '/dashboard';

/** A workspace whose owner has named a provider. */
async function workspaceOf(
  world: HubWorld,
  username: string,
  { issuer }: Pick<TestProvider, 'issuer'>,
): Promise<Person> {
  const owner = await signIn(world, `owner-${username}@example.com`);
  expect((await owner.ask('PUT', '/workspace/username', { body: { username } })).status).toBe(200);
  await nameProvider(owner, issuer);
  const body = { groups: [{ group: '*', role: 'member', domains: ['example.com'] }] };
  expect((await owner.ask('PUT', '/team/groups', { body })).status).toBe(200);
  return owner;
}

async function nameProvider(owner: Person, issuer: string): Promise<void> {
  const client = { issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
  const body = { ...client, name: 'Example & Sons', groups_claim: 'groups' };
  const { status, text } = await owner.ask('PUT', '/workspace/sign-in-provider', { body });
  expect([status, text]).toEqual([200, expect.anything()]);
}

const addressOf = ({ hub }: HubWorld, username: string) => `${hub.hubUrl}/login/workspace/${username}`;
const personIn = (world: HubWorld, browser: PlainBrowser) =>
  personWith(world, '', browser.header(world.hub.hubUrl));

async function isIn(world: HubWorld, browser: PlainBrowser): Promise<boolean> {
  return (await personIn(world, browser).ask('GET', '/workspace')).status === 200;
}

/** Links the person at the provider to their account, which a session by mail proves, and comes in. */
async function linkAndCome(world: HubWorld, username: string, email: string): Promise<PlainBrowser> {
  const browser = new PlainBrowser();
  browser.addCookies(world.hub.hubUrl, (await signIn(world, email)).cookie);
  const link = await browser.open(addressOf(world, username), isDashboard);
  if (!isDashboard(link.url)) await browser.submit(link, {});
  return comeIn(world, username);
}

async function comeIn(world: HubWorld, username: string): Promise<PlainBrowser> {
  const browser = new PlainBrowser();
  expect((await browser.open(addressOf(world, username), isDashboard)).url.pathname).toBe('/dashboard');
  return browser;
}

async function send(
  { hub }: HubWorld,
  username: string | undefined,
  ...tokens: string[]
): Promise<[status: number, text: string]> {
  const path = username === undefined ? '/login/oidc/logout' : `/login/workspace/${username}/logout`;
  const body = new URLSearchParams(tokens.map((token) => ['logout_token', token]));
  const response = await fetch(`${hub.hubUrl}${path}`, { method: 'POST', body });
  return [response.status, await response.text()];
}

describe('at a certified provider', () => {
  test('a person who signs out there is signed out of the workspace, and of nothing else', async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    // The provider has the time of this machine.
    await using world = await hubWorld({ env: ENV, clock: new MovableClock(Date.now()) });
    await using provider = await certifiedProvider(issuer, `${addressOf(world, 'acme')}/callback`);
    const owner = await workspaceOf(world, 'acme', provider);
    const shown = (await owner.ask('GET', '/workspace/sign-in-provider')).body;
    expect(shown.logout_uri).toBe(`${addressOf(world, 'acme')}/logout`);
    const lin = await signIn(world, 'lin@example.com');
    const browser = new PlainBrowser();
    browser.addCookies(world.hub.hubUrl, lin.cookie);
    const login = await browser.open(addressOf(world, 'acme'));
    const consent = await browser.submit(login, { login: lin.email, password: 'any' });
    await browser.submit(await browser.submit(consent, {}), {});
    await browser.open(addressOf(world, 'acme'), isDashboard);
    const inAcme = personIn(world, browser);
    expect((await inAcme.ask('GET', '/workspace')).body).toMatchObject({
      username: 'acme',
      provider_only: true,
    });
    const stream = await fetch(`${world.hub.hubUrl}/events`, { headers: { cookie: inAcme.cookie } });
    expect(stream.status).toBe(200);
    const byMail = await signIn(world, lin.email);
    const question = await browser.open(`${issuer}/session/end`);
    await browser.submit(question, { logout: 'yes' });
    await stream.text();
    expect((await inAcme.ask('GET', '/workspace')).status).toBe(401);
    expect((await byMail.ask('GET', '/workspace')).status).toBe(200);
    const { items } = (await owner.ask('GET', '/audit?limit=1')).body as { items: object[] };
    expect(items).toMatchObject([
      {
        action: 'account.signed_out',
        actor: { name: 'Example & Sons' },
        details: { of: 'session', issuer, sessions: 1 },
      },
    ]);
    const config = { SVC_BASE_URL: world.hub.baseUrl, SVC_ACCESS_TOKEN: await tokenOf(owner) };
    const { stdout } = await runSvc(['workspace', 'sign-in'], { cwd: world.dataDir, env: config });
    expect(stdout).toContain(String(shown.logout_uri));
  });
});

async function tokenOf(person: Person): Promise<string> {
  return String((await person.ask('POST', '/auth/token')).body.access_token);
}

describe('a provider that', () => {
  let world: HubWorld;
  let provider: BrokenProvider;
  let acme: string;
  let owner: Person;
  beforeAll(async () => {
    provider = await BrokenProvider.start();
    world = await hubWorld({ env: { ...ENV, ...openIdSettings(provider.issuer) } });
  });
  afterAll(async () => {
    await world[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    const id = crypto.randomUUID().slice(0, 8);
    acme = `acme-${id}`;
    provider.fault = {};
    provider.person = personAt(id);
    owner = await workspaceOf(world, acme, provider);
  });
  const personAt = (id: string) => ({
    sub: id,
    email: `lin-${id}@example.com`,
    email_verified: true,
    groups: [],
  });
  const email = () => String(provider.person.email);
  const logout = (
    claims: Record<string, unknown> = {},
    signature?: Fault['signature'],
    of: BrokenProvider = provider,
  ) =>
    of.logoutToken(
      { iat: Math.floor(world.clock.nowMs() / 1000), sub: String(provider.person.sub), ...claims },
      signature,
    );
  const areIn = (...all: PlainBrowser[]) => Promise.all(all.map((one) => isIn(world, one)));
  const atSession = async (sid: string | undefined) => {
    provider.fault = { claims: { sid } };
    return await comeIn(world, acme);
  };

  test('names a session ends the sessions with it, and one that names a person all of theirs', async () => {
    await linkAndCome(world, acme, email());
    const [one, two, unnamed] = [await atSession('s1'), await atSession('s2'), await atSession(undefined)];
    expect(await send(world, acme, await logout({ sid: 's1' }))).toEqual([200, '']);
    expect(await areIn(one, two, unnamed)).toEqual([false, true, false]);
    expect(await send(world, acme, await logout({ sub: 'another' }))).toEqual([200, '']);
    expect(await areIn(two)).toEqual([true]);
    expect(await send(world, acme, await logout())).toEqual([200, '']);
    expect(await areIn(two)).toEqual([false]);
  });

  test('is also that of the hub and of another workspace ends only the sessions of the one that it speaks for', async () => {
    const other = `other-${acme}`;
    await workspaceOf(world, other, provider);
    // A person who joins by a group signs in again.
    await linkAndCome(world, acme, email());
    await linkAndCome(world, other, email());
    const [here, there] = [await comeIn(world, acme), await comeIn(world, other)];
    const linked = await signIn(world, email());
    const atHub = new PlainBrowser();
    atHub.addCookies(world.hub.hubUrl, linked.cookie);
    const begun = await linked.ask('POST', '/auth/identities');
    atHub.addCookies(world.hub.hubUrl, begun.headers.get('set-cookie')?.split(';')[0] ?? '');
    await atHub.open(String(begun.body.url), ({ pathname }) => pathname.startsWith('/dashboard'));
    const hubs = new PlainBrowser();
    await hubs.open(`${world.hub.hubUrl}/login/oidc`, isDashboard);
    expect(await areIn(here, there, hubs)).toEqual([true, true, true]);
    // One token is for one of them: it says nothing to the others.
    const token = await logout();
    expect(await send(world, acme, token)).toEqual([200, '']);
    expect(await areIn(here, there, hubs)).toEqual([false, true, true]);
    expect(await send(world, undefined, await logout())).toEqual([200, '']);
    expect(await areIn(there, hubs)).toEqual([true, false]);
  });

  test('sends a token twice, or two at once, ends what the first one ends', async () => {
    await linkAndCome(world, acme, email());
    const token = await logout();
    expect(await send(world, acme, token)).toEqual([200, '']);
    const again = await comeIn(world, acme);
    expect(await send(world, acme, token)).toEqual([400, expect.stringContaining('used before')]);
    expect((await send(world, acme, await logout(), await logout()))[0]).toBe(400);
    expect(await areIn(again)).toEqual([true]);
  });

  test('sends no valid token ends nothing', async () => {
    const person = await linkAndCome(world, acme, email());
    await using foreign = await BrokenProvider.start();
    const other = `other-${acme}`;
    await workspaceOf(world, other, foreign);
    const wrong: [what: string, token: string][] = [
      ['of the provider of another workspace', await logout({}, undefined, foreign)],
      [
        'that the provider of another workspace signs under this issuer',
        await logout({ iss: provider.issuer }, undefined, foreign),
      ],
      ['that is forged', await logout({}, 'forged')],
      ['for another client', await logout({ aud: 'another' })],
      ['of another issuer', await logout({ iss: 'http://127.0.0.1:1' })],
      ['with a nonce', await logout({ nonce: 'n' })],
      ['without the event', await logout({ events: {} })],
      ['of eleven minutes ago', await logout({ iat: Math.floor(world.clock.nowMs() / 1000) - 11 * 60 - 1 })],
      ['without person and session', await logout({ sub: undefined })],
      ['that is none', 'no token'],
    ];
    for (const [what, token] of wrong)
      expect([what, (await send(world, acme, token))[0]]).toEqual([what, 400]);
    // Nor does a good token at the address of another workspace.
    expect((await send(world, other, await logout()))[0]).toBe(400);
    expect(await send(world, 'no-such-workspace', await logout())).toEqual([404, expect.anything()]);
    expect(await areIn(person)).toEqual([true]);
    expect((await send(world, acme, await logout()))[0]).toBe(200);
    expect(await areIn(person)).toEqual([false]);
  });

  test('says that its keys are inside makes the hub ask nothing there', async () => {
    const asked: string[] = [];
    using inside = Bun.serve({
      port: 0,
      hostname: '127.0.0.2',
      fetch: (request) => {
        asked.push(request.url);
        return Response.json({ keys: [] });
      },
    });
    const person = await linkAndCome(world, acme, email());
    provider.fault = { description: { jwks_uri: `http://127.0.0.2:${inside.port}/keys` } };
    world.clock.move(3_600_000);
    expect((await send(world, acme, await logout()))[0]).toBe(503);
    expect(asked).toEqual([]);
    provider.fault = {};
    world.clock.move(3_600_000);
    expect((await send(world, acme, await logout()))[0]).toBe(200);
    expect(await areIn(person)).toEqual([false]);
  });

  test('knows the address with the username before a change still signs people out', async () => {
    const person = await linkAndCome(world, acme, email());
    const body = { username: `new-${acme}`, old_urls: 'redirect' };
    const renamed = await owner.ask('PATCH', '/workspace/username', { body });
    expect(renamed.status).toBe(200);
    const { logout_uri: shown } = (await owner.ask('GET', '/workspace/sign-in-provider')).body;
    expect(shown).toBe(`${addressOf(world, acme)}/logout`);
    expect((await send(world, acme, await logout()))[0]).toBe(200);
    expect(await areIn(person)).toEqual([false]);
  });
});

describe.skipIf(postgresMissing !== undefined)('two hubs', () => {
  test('both end the sessions and their streams, and take a token once', async () => {
    await using provider = await BrokenProvider.start();
    await using hubs = await twoHubs(ENV);
    const { one, other } = hubs;
    provider.person = { sub: 'lin', email: 'lin@example.com', email_verified: true, groups: [] };
    await workspaceOf(one, 'acme', provider);
    const browser = await linkAndCome(one, 'acme', 'lin@example.com');
    const stream = await fetch(`${one.hub.hubUrl}/events`, {
      headers: { cookie: browser.header(one.hub.hubUrl) },
    });
    expect(stream.status).toBe(200);
    const token = await provider.logoutToken({ iat: Math.floor(one.clock.nowMs() / 1000), sub: 'lin' });
    expect(await send(other, 'acme', token)).toEqual([200, '']);
    expect(await isIn(one, browser)).toBe(false);
    one.clock.move(5_000);
    await stream.text();
    expect(await send(one, 'acme', token)).toEqual([400, expect.stringContaining('used before')]);
  });
});
