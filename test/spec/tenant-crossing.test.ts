// Two workspaces, and every id of the one asked for with every credential of the other: there is nothing (decision 25).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parametersOf, type Route } from '@svc/core/api/contract/route';
import { ROUTES } from '@svc/core/api/routes';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type Person, signIn, type Told, told } from '../people.ts';
import { ScriptedAgent } from '../scripted-agent.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Somebody's workspace with one of everything in it, and every way to prove that one is of it. */
interface Tenant {
  readonly username: string;
  readonly owner: Person;
  readonly agent: ScriptedAgent;
  readonly headers: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

let world: HubWorld;
let ours: Tenant;
let theirs: Tenant;
/** Of all that they have, as their lists tell it. */
let ids: readonly string[];
const SLUG = 'theirs-alone';

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  [ours, theirs] = [await tenant('ours', 'ours-alone'), await tenant('theirs', SLUG)];
  ids = [...(await idsOf(theirs))];
});
afterAll(async () => {
  for (const { agent } of [ours, theirs]) await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

async function tenant(username: string, slug: string): Promise<Tenant> {
  const owner = await signIn(world, `${username}@example.com`);
  await owner.ask('PUT', '/workspace/username', { body: { username } });
  const made = async (path: string, body: object) => (await owner.ask('POST', path, { body })).body;
  const apiKey = String((await made('/api-keys', { name: 'k' })).token);
  const agentToken = String((await made('/agent-tokens', { name: 'a' })).token);
  const accessToken = String((await made('/tokens', { name: 't' })).access_token);
  await made('/team/invite', { email: `guest-of-${username}@example.com`, role: 'member' });
  const agent = await ScriptedAgent.connect({
    hubUrl: world.hub.hubUrl,
    token: agentToken,
    endpoints: [{ name: slug, command: 'true' }],
  });
  const call = () =>
    fetch(`${world.hub.baseUrl}/v1/${username}/${slug}`, {
      headers: { 'x-api-key': apiKey, prefer: 'respond-async' },
    });
  // One that has ended, and one that runs: streams and cancel are about both.
  await call();
  await agent.answer(`the output of ${username}\n`);
  await call();
  await agent.hear('run');
  return {
    username,
    owner,
    agent,
    headers: {
      session: { cookie: owner.cookie, origin: world.hub.hubUrl },
      'access token': { authorization: `Bearer ${accessToken}` },
      'API key': { 'x-api-key': apiKey },
      'agent token': { authorization: `Bearer ${agentToken}` },
    },
  };
}

const rows = Object.entries<Route>(ROUTES);
const LISTS = rows.filter(
  ([, { method, path, access }]) =>
    method === 'GET' &&
    parametersOf(path).length === 0 &&
    ['member', 'user', 'owner', 'caller'].includes(access.kind),
);

/** What somebody finds in all lists of their own. */
async function listsOf({ owner }: Tenant): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [name, { path }] of LISTS) {
    const { status, body } = await owner.ask('GET', path);
    expect([name, status]).toEqual([name, 200]);
    found[name] = body;
  }
  return found;
}

async function idsOf(of: Tenant): Promise<Set<string>> {
  const seen = new Set<string>();
  JSON.stringify(await listsOf(of), (_key, value: unknown) => {
    if (typeof value === 'string' && UUID.test(value)) seen.add(value);
    return value;
  });
  return seen;
}

async function ask(row: Route, value: string, headers: Readonly<Record<string, string>>): Promise<Told> {
  const path = row.path.replaceAll(/\{\w+\}/g, value);
  const body = row.body && JSON.stringify(row.body.example);
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  return told(
    await fetch(`${world.hub.hubUrl}${path}`, {
      method: row.method,
      headers: { accept: 'application/json', ...json, ...headers },
      ...(body === undefined ? {} : { body }),
    }),
  );
}

/** A `PUT` with a name makes what has it in one's own workspace: that crosses nothing. */
const CROSSING = rows.filter(
  ([, { path, method, access }]) =>
    parametersOf(path).some((name) => !['token', 'username'].includes(name)) &&
    !path.startsWith('/v1/') &&
    method !== 'PUT' &&
    access.kind !== 'open',
);

function valuesFor({ path }: Route): readonly string[] {
  return parametersOf(path).includes('id') ? ids : [...ids, SLUG];
}

test('the tenants have what can be asked for: executions, keys, tokens, invitations, sessions', () => {
  expect(ids.length).toBeGreaterThanOrEqual(8);
  expect(CROSSING.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      'streamExecution',
      'cancelExecution',
      'revokeApiKey',
      'removeMember',
      'endSession',
    ]),
  );
});

describe.each(CROSSING)('%s', (_name, row) => {
  test('knows nothing of what is theirs', async () => {
    const before = await listsOf(theirs);
    for (const [credential, headers] of Object.entries(ours.headers)) {
      const unknown = await ask(row, crypto.randomUUID(), headers);
      // What a credential is not for is 401 to it, whatever is asked for.
      expect([401, 404]).toContain(unknown.status);
      for (const value of valuesFor(row)) {
        const { status, text } = await ask(row, value, headers);
        expect([credential, value, status]).toEqual([credential, value, unknown.status]);
        expect(text.replaceAll(value, 'ID')).not.toContain('theirs');
      }
    }
    expect(await listsOf(theirs)).toEqual(before);
  });
});

describe('their workspace', () => {
  test('is none that one can act in by its name', async () => {
    for (const [name, { path }] of LISTS) {
      for (const [credential, headers] of Object.entries(ours.headers)) {
        const named = { ...headers, 'x-svc-workspace': 'theirs' };
        const { status, text } = await told(await fetch(`${world.hub.hubUrl}${path}`, { headers: named }));
        // What is about oneself stays so, whatever workspace a header names.
        const isOwn = status === 200 && !text.includes('theirs');
        expect([name, credential, isOwn || [401, 403].includes(status)]).toEqual([name, credential, true]);
      }
    }
  });

  test('has no endpoint that one can call, nor a call that one can resume', async () => {
    const [execution = ''] = await executionsOf(theirs);
    for (const [credential, headers] of Object.entries(ours.headers)) {
      const call = (slug: string, more: Record<string, string> = {}) =>
        fetch(`${world.hub.baseUrl}/v1/theirs/${slug}`, { headers: { ...headers, ...more } }).then(told);
      const [real, none] = [await call(SLUG), await call('none')];
      expect([credential, real.status, real.text]).toEqual([credential, none.status, none.text]);
      expect([401, 404]).toContain(real.status);
      const ownSlug = `${world.hub.baseUrl}/v1/ours/ours-alone`;
      const resumed = await told(
        await fetch(ownSlug, {
          headers: { ...headers, 'last-event-id': execution, accept: 'text/event-stream' },
        }),
      );
      expect([204, 401, 404]).toContain(resumed.status);
      expect(resumed.text).not.toContain('theirs');
    }
  });
});

async function executionsOf({ owner }: Tenant): Promise<string[]> {
  const { body } = await owner.ask('GET', '/executions');
  return (body.items as { execution_id: string }[]).map(({ execution_id: id }) => id);
}
