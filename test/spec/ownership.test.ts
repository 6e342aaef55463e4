// The transfer of a workspace to another owner: decision 95, one owner.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { linkTo, mailTo, type Person, signIn } from '../people.ts';

const OWNER = 'ada@example.com';
const DAY_MS = 24 * 60 * 60 * 1000;

let world: HubWorld;
let owner: Person;
let lin: Person;
let bob: Person;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  owner = await signIn(world, OWNER);
  await owner.ask('PUT', '/workspace/username', { body: { username: 'acme' } });
  const joined = async (email: string) => {
    await owner.ask('POST', '/team/invite', { body: { email, role: 'member' } });
    const invitation = await linkTo(world, email);
    const person = await signIn(world, email);
    expect((await person.ask('POST', invitation)).status).toBe(200);
    return person;
  };
  lin = await joined('lin@example.com');
  bob = await joined('bob@example.com');
});
afterAll(() => world[Symbol.asyncDispose]());

const inTeam = () => ({ workspace: 'acme' });
const shown = async (person: Person) => (await person.ask('GET', '/team/ownership', inTeam())).body;
const idOf = async (email: string) => {
  const { items } = (await owner.ask('GET', '/team/members', inTeam())).body as {
    items: { id: string; email: string }[];
  };
  return items.find((one) => one.email === email)?.id;
};
const offer = async (by: Person, email: string) =>
  by.ask('PUT', '/team/ownership/offer', { ...inTeam(), body: { member: await idOf(email) } });
const accept = async (person: Person) =>
  (await person.ask('POST', '/team/ownership/accept', inTeam())).status;
const end = async (person: Person) => (await person.ask('DELETE', '/team/ownership/offer', inTeam())).status;

test('only the owner offers, and only the member to whom it is made sees an offer end or accepts it', async () => {
  expect((await offer(lin, 'bob@example.com')).status).toBe(403);
  expect((await offer(owner, 'nobody@example.com')).status).toBe(400);
  expect([await accept(lin), await end(owner)]).toEqual([404, 404]);
  const made = await offer(owner, 'lin@example.com');
  expect([made.status, made.body]).toMatchObject([
    200,
    { owner: { email: OWNER }, offer: { member: { email: 'lin@example.com' } } },
  ]);
  expect((await mailTo(world, 'lin@example.com')).subject).toContain('offers you the ownership of acme');
  expect([await accept(bob), await end(bob)]).toEqual([404, 404]);
  expect(await end(lin)).toBe(204);
  expect([await accept(lin), (await shown(lin)).offer]).toEqual([404, null]);
  await offer(owner, 'lin@example.com');
  expect(await end(owner)).toBe(204);
  expect(await accept(lin)).toBe(404);
  await offer(owner, 'lin@example.com');
  // The tokens of the tests last a day.
  const expired = await owner.ask('GET', '/team/ownership', inTeam());
  expect(expired.body.offer).toMatchObject({
    expires_at: new Date(world.clock.nowMs() + 7 * DAY_MS).toISOString(),
  });
});

test('no access token offers or accepts', async () => {
  const member = await idOf('lin@example.com');
  const requests = [
    ['PUT', '/team/ownership/offer', { member }],
    ['DELETE', '/team/ownership/offer', undefined],
    ['POST', '/team/ownership/accept', undefined],
  ] as const;
  for (const person of [owner, lin]) {
    const made = await person.ask('POST', '/tokens', { ...inTeam(), body: { name: 'laptop' } });
    const headers = {
      authorization: `Bearer ${String(made.body.access_token)}`,
      'content-type': 'application/json',
    };
    expect((await fetch(`${world.hub.hubUrl}/team/ownership`, { headers })).status).toBe(200);
    for (const [method, path, body] of requests) {
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      expect((await fetch(`${world.hub.hubUrl}${path}`, init)).status).toBe(401);
    }
  }
});

test('an accepted offer makes the member the owner and the owner an admin, who both sign in again', async () => {
  await offer(owner, 'bob@example.com');
  await offer(owner, 'lin@example.com');
  expect([await accept(bob), await accept(lin)]).toEqual([404, 204]);
  for (const email of [OWNER, 'lin@example.com'])
    expect((await mailTo(world, email)).subject).toBe('lin@example.com owns acme on svc now');
  expect((await owner.ask('GET', '/workspace')).status).toBe(401);
  expect((await lin.ask('GET', '/workspace')).status).toBe(401);
  lin = await signIn(world, 'lin@example.com');
  const former = await signIn(world, OWNER);
  const roleOf = async (person: Person) => (await person.ask('GET', '/workspace', inTeam())).body.role;
  expect([await roleOf(lin), await roleOf(former)]).toEqual(['owner', 'admin']);
  // The former owner has a workspace of their own, as everyone.
  expect((await former.ask('GET', '/workspace')).body).toMatchObject({ username: null, role: 'owner' });
  owner = former;
  expect((await offer(former, 'bob@example.com')).status).toBe(403);
  const deletion = { ...inTeam(), body: { username: 'acme' } };
  expect((await former.ask('POST', '/workspace/deletion', deletion)).status).toBe(403);
  const { items } = (await lin.ask('GET', '/audit?action=workspace.ownership_accepted', inTeam())).body as {
    items: object[];
  };
  expect(items).toMatchObject([
    {
      action: 'workspace.ownership_accepted',
      actor: { name: 'lin@example.com' },
      target: { name: 'lin@example.com' },
      details: { former_owner: OWNER },
    },
  ]);
});

test('tokens for other workspaces go on, while the former owner owns another one', async () => {
  const tokenFor = async (workspace: string) =>
    (await lin.ask('POST', '/tokens', { workspace, body: { name: workspace } })).body.access_token;
  const statusWith = async (token: unknown) => {
    const headers = { authorization: `Bearer ${String(token)}` };
    return (await fetch(`${world.hub.hubUrl}/endpoints`, { headers })).status;
  };
  const give = async (workspace: string) => {
    const at = { workspace };
    await lin.ask('POST', '/team/invite', { ...at, body: { email: 'bob@example.com', role: 'member' } });
    const invitation = await linkTo(world, 'bob@example.com');
    bob = await signIn(world, 'bob@example.com');
    await bob.ask('POST', invitation);
    const { items } = (await lin.ask('GET', '/team/members', at)).body as { items: { id: string }[] };
    await lin.ask('PUT', '/team/ownership/offer', { ...at, body: { member: items.at(-1)?.id } });
    expect((await bob.ask('POST', '/team/ownership/accept', at)).status).toBe(204);
  };
  expect((await lin.ask('POST', '/workspaces', { body: { username: 'shop' } })).status).toBe(201);
  const [ofShop, ofAcme] = [await tokenFor('shop'), await tokenFor('acme')];
  expect([await statusWith(ofShop), await statusWith(ofAcme)]).toEqual([200, 200]);
  await give('shop');
  expect([await statusWith(ofShop), await statusWith(ofAcme)]).toEqual([401, 200]);
  expect((await lin.ask('GET', '/workspace')).status).toBe(401);
});
