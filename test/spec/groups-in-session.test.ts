// The groups of a person are read again while their session lasts (decision 93, groups within a session).
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { BrokenProvider, CLIENT_ID, CLIENT_SECRET, openIdSettings } from '../openid-providers.ts';
import { type Person, personWith, signIn } from '../people.ts';
import { PlainBrowser } from '../plain-browser.ts';
import { postgresMissing } from '../postgres.ts';
import { twoHubs } from '../two-hubs.ts';

const MINUTE_MS = 60_000;
const isDashboard = ({ pathname }: URL) => pathname === '/dashboard';

let provider: BrokenProvider;
let world: HubWorld;
let ada: Person;
const envOf = () => ({
  SVC_RATE_LIMITS: 'off',
  SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1/32',
  ...openIdSettings(provider.issuer),
  SVC_OIDC_GROUPS_CLAIM: 'groups',
  SVC_OIDC_GROUPS_WORKSPACES: '*',
});

beforeAll(async () => {
  provider = await BrokenProvider.start();
});
afterAll(() => provider[Symbol.asyncDispose]());

const name = () => ada.email.split('@')[0] ?? '';

async function begin(): Promise<void> {
  provider.fault = {};
  const id = crypto.randomUUID().slice(0, 8);
  const email = `lin-${id}@example.com`;
  provider.person = { sub: id, email, email_verified: true, groups: ['run', 'lead'] };
  ada = await signIn(world, `ada-${id}@example.com`);
  await ada.ask('PUT', '/workspace/username', { body: { username: name() } });
  const groups = [{ group: 'run', role: 'member' }];
  expect((await ada.ask('PUT', '/team/groups', { body: { groups } })).status).toBe(200);
}

async function come(): Promise<Person> {
  const browser = new PlainBrowser();
  const { url } = await browser.open(`${world.hub.hubUrl}/login/oidc`, isDashboard);
  expect(url.pathname).toBe('/dashboard');
  return personWith(world, '', browser.header(world.hub.hubUrl));
}

/** 16 minutes pass, and what falls due is at its end. Returns how often the provider was asked meanwhile. */
async function pass(...worlds: readonly HubWorld[]): Promise<number> {
  const before = provider.refreshes;
  for (const { clock } of worlds) clock.standStill(16 * MINUTE_MS);
  await Promise.all(worlds.map(({ clock }) => clock.settled()));
  return provider.refreshes - before;
}

/** Members see an endpoint only by a grant to the group `lead`. Returns what a person sees. */
async function grantToLead(): Promise<(person: Person) => Promise<string[]>> {
  await ada.ask('POST', '/endpoints', { body: { name: 'backup', command: 'true' } });
  await ada.ask('PUT', '/team/endpoint-access', { body: { access: 'by_grants' } });
  const body = { grantee_kind: 'group', grantee: 'lead', endpoints: ['backup'], can: ['run'] };
  expect((await ada.ask('POST', '/team/endpoint-grants', { body })).status).toBe(201);
  return async (person) => {
    const { items } = (await person.ask('GET', '/endpoints', { workspace: name() })).body as {
      items: { slug: string }[];
    };
    return items.map(({ slug }) => slug);
  };
}

const roles = async () => {
  const { items } = (await ada.ask('GET', '/team/members')).body as { items: { role: string }[] };
  return items.map(({ role }) => role);
};

describe('while a session from a provider lasts', () => {
  beforeAll(async () => {
    world = await hubWorld({ env: envOf() });
  });
  afterAll(() => world[Symbol.asyncDispose]());
  beforeEach(begin);
  // Another test does not ask for the sessions of this one.
  afterEach(async () => {
    const members = (await ada.ask('GET', '/team/members')).body.items as { id: string }[];
    for (const { id } of members) await ada.ask('DELETE', `/team/members/${id}`);
  });

  test('a person who has left the group loses membership, session, key and stream without another sign-in', async () => {
    const lin = await come();
    const key = await lin.ask('POST', '/api-keys', { body: { name: 'k' }, workspace: name() });
    expect([key.status, await roles()]).toEqual([201, ['member']]);
    const stream = await fetch(`${world.hub.hubUrl}/events`, {
      headers: { cookie: lin.cookie, 'x-svc-workspace': name() },
    });
    expect(stream.status).toBe(200);
    provider.person = { ...provider.person, groups: ['lead'] };
    expect(await pass(world)).toBe(1);
    await stream.text();
    expect(await roles()).toEqual([]);
    expect((await lin.ask('GET', '/workspace')).status).toBe(401);
    expect((await ada.ask('GET', '/api-keys')).body.items).toMatchObject([
      { name: 'k', revoked_at: expect.any(String) },
    ]);
    const { items } = (await ada.ask('GET', '/audit?limit=1')).body as { items: object[] };
    expect(items).toMatchObject([{ action: 'member.removed', actor: { name: 'Example & Sons' } }]);
  });

  test('a person gets the role of another group', async () => {
    await come();
    const groups = [
      { group: 'run', role: 'member' },
      { group: 'admins', role: 'admin' },
    ];
    await ada.ask('PUT', '/team/groups', { body: { groups } });
    provider.person = { ...provider.person, groups: ['admins'] };
    expect(await pass(world)).toBe(1);
    expect(await roles()).toEqual(['admin']);
  });

  test('a person gains and loses the grants of a group that gives no role', async () => {
    const seen = await grantToLead();
    const lin = await come();
    expect(await seen(lin)).toEqual(['backup']);
    provider.person = { ...provider.person, groups: ['run'] };
    expect(await pass(world)).toBe(1);
    expect([await roles(), await seen(lin)]).toEqual([['member'], []]);
    provider.person = { ...provider.person, groups: ['run', 'lead'] };
    expect(await pass(world)).toBe(1);
    expect(await seen(lin)).toEqual(['backup']);
    const { items } = (await ada.ask('GET', '/audit?action=member.groups_changed')).body as {
      items: { actor: { name: string }; details: object }[];
    };
    expect(items.slice(0, 2).map(({ actor, details }) => [actor.name, details])).toEqual([
      ['Example & Sons', { gained: ['lead'], lost: [] }],
      ['Example & Sons', { gained: [], lost: ['lead'] }],
    ]);
  });

  test('an answer without groups, of another person or none at all changes nothing, and the next one counts', async () => {
    const lin = await come();
    const works = async () => [await roles(), (await lin.ask('GET', '/workspace')).status];
    for (const fault of [
      { claims: { groups: undefined } },
      { claims: { sub: 'another', groups: [] } },
      { claims: { groups: [] }, signature: 'forged' as const },
      { refresh: 'server_error' as const },
    ]) {
      provider.fault = fault;
      expect(await pass(world)).toBe(1);
      // The round of a minute later finds nothing to do, so the one before is over.
      world.clock.move(MINUTE_MS);
      expect(await works()).toEqual([['member'], 200]);
    }
    provider.fault = { claims: { groups: [] } };
    expect(await pass(world)).toBe(1);
    expect(await roles()).toEqual([]);
  });

  test('a session that the provider no longer knows ends, and the membership stays', async () => {
    const lin = await come();
    provider.fault = { refresh: 'invalid_grant' };
    expect(await pass(world)).toBe(1);
    expect((await lin.ask('GET', '/workspace')).status).toBe(401);
    expect(await roles()).toEqual(['member']);
  });

  test('a person who signed out is not asked for', async () => {
    const lin = await come();
    await lin.ask('POST', '/auth/logout');
    const other = await come();
    expect(await pass(world)).toBe(1);
    expect((await other.ask('GET', '/workspace')).status).toBe(200);
  });

  test('the provider of a workspace is asked, too', async () => {
    const own = { issuer: provider.issuer, client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
    const body = { ...own, name: 'Own', groups_claim: 'groups' };
    expect((await ada.ask('PUT', '/workspace/sign-in-provider', { body })).status).toBe(200);
    const lin = await signIn(world, String(provider.person.email));
    const browser = new PlainBrowser();
    browser.addCookies(world.hub.hubUrl, lin.cookie);
    const start = `${world.hub.hubUrl}/login/workspace/${name()}`;
    await browser.submit(await browser.open(start), {});
    await browser.open(start, isDashboard);
    const session = personWith(world, '', browser.header(world.hub.hubUrl));
    expect((await session.ask('GET', '/workspace')).body).toMatchObject({ provider_only: true });
    const seen = await grantToLead();
    // All groups there count for grants, and not only the one that made the person a member.
    expect(await seen(session)).toEqual(['backup']);
    // Nor does a session that cannot act in the workspace take them away.
    await signIn(world, String(provider.person.email));
    expect(await seen(session)).toEqual(['backup']);
    provider.person = { ...provider.person, groups: ['run'] };
    expect(await pass(world)).toBe(1);
    expect(await seen(session)).toEqual([]);
    provider.person = { ...provider.person, groups: [] };
    expect(await pass(world)).toBe(1);
    expect((await session.ask('GET', '/workspace')).status).toBe(401);
    expect(await roles()).toEqual([]);
  });
});

describe.skipIf(postgresMissing !== undefined)('two hubs', () => {
  test('ask once, and both end the access', async () => {
    await using hubs = await twoHubs(envOf());
    const { other } = hubs;
    world = hubs.one;
    await begin();
    const lin = await come();
    const there = personWith(other, '', lin.cookie);
    expect((await there.ask('GET', '/workspace')).status).toBe(200);
    provider.person = { ...provider.person, groups: [] };
    expect(await pass(world, other)).toBe(1);
    expect((await there.ask('GET', '/workspace')).status).toBe(401);
    expect(await roles()).toEqual([]);
  });
});
