// Several workspaces of one person: decision 103, several own workspaces.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { linkTo, type Person, personWith, sessionIn, signIn } from '../people.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

let world: HubWorld;
beforeAll(async () => {
  world = await hubWorld({
    env: { SVC_RATE_LIMITS: 'off', SVC_OWN_WORKSPACES: '3', SVC_DEFAULT_PLAN: 'free' },
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const create = (person: Person, username: string) =>
  person.ask('POST', '/workspaces', { body: { username } });
const remove = (person: Person, username: string) =>
  person.ask('POST', '/workspace/deletion', { workspace: username, body: { username } });

async function listed(person: Person) {
  const { items } = (await person.ask('GET', '/workspaces')).body as {
    items: { username: string | null; role: string; plan: string }[];
  };
  return items.map(({ username, role }) => [username, role]);
}

/** A person whose first workspace has this username. */
async function ownerOf(username: string, at = world): Promise<Person> {
  const person = await signIn(at, `${username}@example.com`);
  expect((await person.ask('PUT', '/workspace/username', { body: { username } })).status).toBe(200);
  return person;
}

async function signInAt(at: HubWorld, email: string): Promise<Response> {
  const body = JSON.stringify({ email });
  await fetch(`${at.hub.hubUrl}/auth/magic-link`, { method: 'POST', headers: JSON_TYPE, body });
  return await postForm(await linkTo(at, email));
}

/** Signs in again, and returns where the browser is redirected to. */
async function signInAgain(email: string): Promise<{ person: Person; to: string | null }> {
  const response = await signInAt(world, email);
  return { person: personWith(world, email, sessionIn(response)), to: response.headers.get('location') };
}

test('a person creates workspaces of their own, up to the limit, and owns each', async () => {
  const ada = await ownerOf('ada');
  const made = await create(ada, 'analytical');
  expect([made.status, made.body]).toMatchObject([
    201,
    { username: 'analytical', plan: 'free', role: 'owner' },
  ]);
  expect(await listed(ada)).toEqual([
    ['ada', 'owner'],
    ['analytical', 'owner'],
  ]);
  const inNew = await ada.ask('GET', '/workspace', { workspace: 'analytical' });
  expect(inNew.body).toMatchObject({ username: 'analytical', role: 'owner', plan: 'free' });
  // Without the header a request acts in the first workspace.
  expect((await ada.ask('GET', '/workspace')).body.username).toBe('ada');
  const { items } = (await ada.ask('GET', '/audit', { workspace: 'analytical' })).body as { items: object[] };
  expect(items).toMatchObject([
    { action: 'workspace.created', actor: { name: 'ada@example.com' }, details: { username: 'analytical' } },
  ]);
  for (const [username, code] of [
    ['ada', 'username_taken'],
    ['login', 'username_taken'],
    ['Not a name', 'invalid_argument'],
  ] as const)
    expect([username, (await create(ada, username)).body.code]).toEqual([username, code]);
  const race = await Promise.all(['third-a', 'third-b', 'third-c'].map((name) => create(ada, name)));
  expect(race.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
  expect(race.find(({ status }) => status === 403)?.body.code).toBe('limit_reached');
  // The refused request reserved no name.
  const bob = await ownerOf('bob');
  const free = ['third-a', 'third-b', 'third-c'].filter((_, n) => race[n]?.status === 403);
  for (const name of free) expect((await create(bob, name)).status).toBe(201);
});

test('keys, quota and members are those of one workspace', async () => {
  const carl = await ownerOf('carl');
  await create(carl, 'carl-two');
  const made = await carl.ask('POST', '/api-keys', { workspace: 'carl-two', body: { name: 'ci' } });
  const headers = { 'x-api-key': String(made.body.token) };
  const at = async (name: string) => (await fetch(`${world.hub.hubUrl}/v1/${name}`, { headers })).status;
  expect([await at('carl-two'), await at('carl')]).toEqual([200, 404]);
  expect((await carl.ask('GET', '/api-keys')).body.items).toEqual([]);
  const eve = await ownerOf('eve');
  expect((await eve.ask('GET', '/workspace', { workspace: 'carl-two' })).status).toBe(403);
});

test('a sign-in leads to the workspace in which the person was last', async () => {
  const dora = await ownerOf('dora');
  await create(dora, 'dora-two');
  expect((await signInAgain('dora@example.com')).to).toBe('/dashboard');
  await dora.ask('GET', '/workspace', { workspace: 'dora-two' });
  expect((await signInAgain('dora@example.com')).to).toBe('/dashboard?workspace=dora-two');
  const { person } = await signInAgain('dora@example.com');
  await person.ask('GET', '/workspace');
  expect((await signInAgain('dora@example.com')).to).toBe('/dashboard');
  // After the workspace is deleted, a sign-in opens the first one.
  await person.ask('GET', '/workspace', { workspace: 'dora-two' });
  expect((await remove(person, 'dora-two')).status).toBe(204);
  expect((await signInAgain('dora@example.com')).to).toBe('/dashboard');
});

test('a workspace is deleted alone: the others, their tokens and the session go on', async () => {
  const fay = await ownerOf('fay');
  world.clock.move(1);
  for (const name of ['fay-two', 'fay-three']) expect((await create(fay, name)).status).toBe(201);
  const tokenIn = async (workspace: string) => {
    const made = await fay.ask('POST', '/tokens', { workspace, body: { name: 'laptop' } });
    const headers = { authorization: `Bearer ${String(made.body.access_token)}` };
    return async () => (await fetch(`${world.hub.hubUrl}/workspace`, { headers })).status;
  };
  const [ofTwo, ofThree] = [await tokenIn('fay-two'), await tokenIn('fay-three')];
  const second = await remove(fay, 'fay-two');
  expect([second.status, second.headers.get('set-cookie')]).toEqual([204, null]);
  expect([await ofTwo(), await ofThree()]).toEqual([401, 200]);
  expect(await listed(fay)).toEqual([
    ['fay', 'owner'],
    ['fay-three', 'owner'],
  ]);
  // The person is below the limit again.
  expect((await create(fay, 'fay-four')).status).toBe(201);
  // The sessions end with the first workspace; the account and the other workspaces stay.
  const first = await remove(fay, 'fay');
  expect([first.status, first.headers.get('set-cookie')]).toEqual([
    204,
    expect.stringContaining('Max-Age=0'),
  ]);
  expect((await fay.ask('GET', '/workspace')).status).toBe(401);
  expect(await ofThree()).toBe(200);
  const { person } = await signInAgain('fay@example.com');
  expect(await listed(person)).toEqual([
    ['fay-three', 'owner'],
    ['fay-four', 'owner'],
  ]);
});

test('a person creates and deletes only so many a day: each takes a quota, and a username for ever', async () => {
  await using limited = await hubWorld({ env: { SVC_OWN_WORKSPACES: '3' } });
  const gil = await ownerOf('gil', limited);
  // What is refused does not count.
  for (const name of ['gil', 'login', 'Not a name', 'gil', 'gil', 'gil'])
    expect([403, 409, 400]).toContain((await create(gil, name)).status);
  expect((await gil.ask('POST', '/workspace/deletion', { body: { username: 'wrong' } })).status).toBe(400);
  for (const name of ['g-1', 'g-2', 'g-3', 'g-4', 'g-5']) {
    expect([name, (await create(gil, name)).status]).toEqual([name, 201]);
    expect([name, (await remove(gil, name)).status]).toEqual([name, 204]);
  }
  for (const refused of [await create(gil, 'g-6'), await remove(gil, 'gil')])
    expect([refused.status, refused.body, refused.headers.get('retry-after')]).toMatchObject([
      429,
      { code: 'rate_limited', error: 'more than 5 a day', details: { limit: 5 } },
      '17280',
    ]);
  expect((await create(await ownerOf('hal', limited), 'g-6')).status).toBe(201);
  limited.clock.move(17_280_000);
  const again = personWith(limited, 'gil@example.com', sessionIn(await signInAt(limited, 'gil@example.com')));
  expect((await create(again, 'g-7')).status).toBe(201);
  expect((await create(again, 'g-8')).status).toBe(429);
  expect((await remove(again, 'g-7')).status).toBe(204);
});
