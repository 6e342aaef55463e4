// Sessions, access tokens and the headers for browsers: decisions 3, 4, 14, 34 and 44.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ROUTES } from '@svc/core/api/routes';
import { openAdmin } from '@svc/hub/admin/admin';
import { readHubConfig } from '@svc/hub/config';
import { failureOf } from '@svc/hub/platform/db/fixtures/failure-of';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { linkTo, type Person, readAnswer, signIn } from '../people.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JSON_TYPE = { 'content-type': 'application/json' };

let world: HubWorld;
let ada: Person;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off', SVC_TRUSTED_PROXIES: '127.0.0.1' } });
  ada = await signIn(world, 'ada@example.com');
});
afterEach(() => world[Symbol.asyncDispose]());

const url = (path: string) => `${world.hub.hubUrl}${path}`;
const isIn = async (person: Person) => (await person.ask('GET', '/workspace')).status === 200;
const withToken = async (token: unknown, path = '/workspace') =>
  readAnswer(await fetch(url(path), { headers: { authorization: `Bearer ${token}` } }));

interface ListedSession {
  readonly id: string;
  readonly browser: string;
  readonly address: string;
  readonly last_used_at: string;
  readonly current: boolean;
}

const sessionsOf = async (person: Person) =>
  (await person.ask('GET', '/auth/sessions')).body.items as ListedSession[];

/** The last use of a session is written beside the answer, which does not wait for it. */
async function untilSeen(person: Person): Promise<void> {
  const now = new Date(world.clock.nowMs()).toISOString();
  while ((await sessionsOf(person)).find(({ current }) => current)?.last_used_at !== now);
}

describe('sessions', () => {
  test('are listed with what the browser calls itself, and one of them is ended', async () => {
    const link = await newLink('ada@example.com');
    const confirmed = await postForm(link, { 'user-agent': 'Lynx/2.9' });
    const lynx = confirmed.headers.get('set-cookie')?.split(';')[0] ?? '';
    const items = await sessionsOf(ada);
    expect(items.map(({ current }) => current).sort()).toEqual([false, true]);
    const other = items.find(({ current }) => !current);
    expect(other as object).toEqual({
      id: expect.any(String),
      browser: 'Lynx/2.9',
      address: '127.0.0.1',
      created_at: '2026-11-20T12:00:00.000Z',
      last_used_at: '2026-11-20T12:00:00.000Z',
      expires_at: '2026-12-04T12:00:00.000Z',
      current: false,
    });
    expect((await ada.ask('DELETE', `/auth/sessions/${other?.id}`)).status).toBe(204);
    expect((await fetch(url('/workspace'), { headers: { cookie: lynx } })).status).toBe(401);
    expect([await isIn(ada), (await ada.ask('DELETE', `/auth/sessions/${other?.id}`)).status]).toEqual([
      true,
      404,
    ]);
  });

  test('show the address that a trusted proxy reports', async () => {
    const link = await newLink('ada@example.com');
    await postForm(link, { 'x-forwarded-for': '198.51.100.7, 203.0.113.9' });
    const addresses = (await sessionsOf(ada)).map(({ address }) => address);
    expect(addresses.toSorted()).toEqual(['127.0.0.1', '203.0.113.9']);
  });

  test('all end but the one that asks, with their streams, and access tokens stay', async () => {
    const others = [await signIn(world, 'ada@example.com'), await signIn(world, 'ada@example.com')];
    const eve = await signIn(world, 'eve@example.com');
    const token = (await ada.ask('POST', '/tokens')).body.access_token;
    expect((await withToken(token, '/auth/sessions')).body.items).toHaveLength(3);
    const byToken = await fetch(url('/auth/sessions/end-others'), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(byToken.status).toBe(401);
    const [first] = others;
    const live = await fetch(url('/events'), { headers: { cookie: first?.cookie ?? '' } });
    const text = live.text();
    expect((await ada.ask('POST', '/auth/sessions/end-others')).status).toBe(204);
    expect(await text).toContain('ready');
    expect(await Promise.all([ada, ...others, eve].map(isIn))).toEqual([true, false, false, true]);
    expect((await withToken(token)).status).toBe(200);
    const audit = (await ada.ask('GET', '/audit?action=account.other_sessions_ended')).body.items;
    expect(audit).toHaveLength(1);
  });

  test('of other people do not exist', async () => {
    const eve = await signIn(world, 'eve@example.com');
    const [session] = await sessionsOf(ada);
    expect((await eve.ask('DELETE', `/auth/sessions/${session?.id}`)).status).toBe(404);
    expect(await isIn(ada)).toBe(true);
  });

  test('end after three days without use, and after fourteen in any case', async () => {
    const idle = await signIn(world, 'ada@example.com');
    for (let day = 1; day <= 13; day += 1) {
      world.clock.move(DAY_MS);
      expect([day, await isIn(ada)]).toEqual([day, true]);
      await untilSeen(ada);
      const alive = (await sessionsOf(ada)).length;
      expect([day, alive]).toEqual([day, day < 3 ? 2 : 1]);
    }
    expect(await isIn(idle)).toBe(false);
    world.clock.move(DAY_MS);
    expect(await isIn(ada)).toBe(false);
  });

  test('all end at once, with every access token, by signing out everywhere', async () => {
    const second = await signIn(world, 'ada@example.com');
    const token = (await ada.ask('POST', '/tokens')).body.access_token;
    const gone = await ada.ask('POST', '/auth/logout/everywhere');
    expect([gone.status, gone.headers.get('set-cookie')]).toEqual([
      204,
      expect.stringContaining('Max-Age=0'),
    ]);
    expect(gone.headers.get('clear-site-data')).toBe('"cache", "storage"');
    expect([await isIn(ada), await isIn(second), (await withToken(token)).status]).toEqual([
      false,
      false,
      401,
    ]);
    expect(await isIn(await signIn(world, 'ada@example.com'))).toBe(true);
  });

  test('are one for each browser: signing in again ends the one of before', async () => {
    const link = await newLink('lin@example.com');
    const again = await postForm(link, { cookie: ada.cookie });
    expect([again.status, await isIn(ada)]).toEqual([303, false]);
  });

  test('that end close the streams that were opened with them', async () => {
    const owner = await signIn(world, 'operator@localhost');
    await using agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
    const called = world.call('job', { headers: { prefer: 'respond-async' } });
    const { execution_id: id } = await agent.receive('run');
    await called;
    const read = await fetch(url(`/executions/${id}/stream`), { headers: { cookie: owner.cookie } });
    const text = read.text();
    expect((await owner.ask('POST', '/auth/logout')).status).toBe(204);
    expect(await text).toContain('no longer work');
    agent.end(id, 0);
  });
});

test('an operator signs a user out everywhere, and no other user', async () => {
  const eve = await signIn(world, 'eve@example.com');
  const token = (await ada.ask('POST', '/tokens')).body.access_token;
  await using admin = await openAdmin(readHubConfig({ SVC_DATA_DIR: world.dataDir }));
  await admin.signOut('ada@example.com');
  expect([await isIn(ada), (await withToken(token)).status, await isIn(eve)]).toEqual([false, 401, true]);
  expect((await failureOf(admin.signOut('nobody@example.com'))).message).toContain(
    'no account has the address',
  );
});

test('the log names refused clients and their addresses, without their credentials', async () => {
  const link = await newLink('lin@example.com');
  await postForm(link);
  await postForm(link);
  await withToken('svc_pat_guessed');
  await ada.ask('GET', '/workspace', { workspace: 'local' });
  const lines = world.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
  const refused = lines.filter(({ msg }) => msg === 'refused');
  expect(refused.map(({ status, method, path, address }) => [status, method, path, address])).toEqual([
    [410, 'POST', '/login/[redacted]', '127.0.0.1'],
    [401, 'GET', '/workspace', '127.0.0.1'],
    [403, 'GET', '/workspace', '127.0.0.1'],
  ]);
});

describe('access tokens', () => {
  test('have a name and an end, are listed without themselves, and are revoked', async () => {
    await ada.ask('PUT', '/workspace/username', { body: { username: 'ada' } });
    const made = await ada.ask('POST', '/tokens', {
      body: { name: 'backup', expires_at: '2026-11-21T12:00:00Z' },
    });
    const { access_token: token, ...shown } = made.body;
    expect([made.status, shown]).toEqual([
      201,
      {
        id: expect.any(String),
        name: 'backup',
        last4: String(token).slice(-4),
        workspace: 'ada',
        created_at: '2026-11-20T12:00:00.000Z',
        last_used_at: null,
        expires_at: '2026-11-21T12:00:00.000Z',
      },
    ]);
    expect((await ada.ask('GET', '/tokens')).body.items).toEqual([shown]);
    expect((await withToken(token)).status).toBe(200);
    expect((await ada.ask('DELETE', `/tokens/${shown.id}`)).status).toBe(204);
    expect((await withToken(token)).status).toBe(401);
    expect((await ada.ask('GET', '/tokens')).body.items).toEqual([]);
  });

  test('live for 30 days unless they say otherwise, and at most a year', async () => {
    const { body } = await ada.ask('POST', '/tokens');
    expect(body.expires_at).toBe('2026-12-20T12:00:00.000Z');
    for (const expiresAt of ['2026-11-20T12:00:00Z', '2027-11-22T00:00:00Z', 'tomorrow']) {
      const refused = await ada.ask('POST', '/tokens', { body: { expires_at: expiresAt } });
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_argument']);
    }
  });

  test('are made with a session only: who finds one cannot make it last', async () => {
    const { body } = await ada.ask('POST', '/tokens');
    const asToken = { method: 'POST', headers: { authorization: `Bearer ${body.access_token}` } };
    expect((await fetch(url('/tokens'), asToken)).status).toBe(401);
    expect((await fetch(url('/auth/token'), asToken)).status).toBe(401);
  });

  test('of a link in a mail are for the workspace that the request names', async () => {
    const token = (await newLink('operator@localhost')).split('/').at(-1);
    const ask = (workspace: string, of = token) =>
      fetch(url('/auth/token'), {
        method: 'POST',
        headers: { ...JSON_TYPE, 'x-svc-workspace': workspace },
        body: JSON.stringify({ token: of }),
      });
    const { body } = await readAnswer(await ask('local'));
    expect((await withToken(body.access_token)).body.username).toBe('local');
    const adas = (await newLink('ada@example.com')).split('/').at(-1);
    expect((await ask('local', adas)).status).toBe(404);
  });
});

async function newLink(email: string): Promise<string> {
  await fetch(url('/auth/magic-link'), {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ email }),
  });
  return linkTo(world, email);
}

describe('a sign-in link', () => {
  test('survives a hundred requests of a mail scanner, and then signs in', async () => {
    const link = await newLink('lin@example.com');
    const requests = Array.from({ length: 100 }, (_, n) =>
      fetch(link, { method: ['GET', 'HEAD', 'OPTIONS'][n % 3] ?? '' }),
    );
    for (const request of await Promise.all(requests)) expect(request.headers.get('set-cookie')).toBeNull();
    expect((await postForm(link)).status).toBe(303);
  });

  test('is not confirmed by the page of another site, which would sign its visitor in to a foreign account', async () => {
    const link = await newLink('lin@example.com');
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site', origin: 'null' },
    ])
      expect((await fetch(link, { method: 'POST', headers })).status).toBe(403);
    const own = { 'sec-fetch-site': 'same-origin', origin: 'null' };
    expect((await postForm(link, own)).status).toBe(303);
  });
});

describe('headers for browsers', () => {
  test('over https the cookie is one that no other host can set or read', async () => {
    await using safe = await hubWorld({
      env: { SVC_RATE_LIMITS: 'off', SVC_HUB_URL: 'https://svc.example' },
    });
    const local = safe.hub.localUrl;
    await fetch(`${local}/auth/magic-link`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{"email":"ada@example.com"}',
    });
    const outbox = await fetch(`${local}/outbox`, {
      headers: { authorization: `Bearer ${safe.start.accessToken}` },
    });
    const { items } = (await outbox.json()) as { items: { text: string }[] };
    const [link = ''] = /https:\S+/.exec(items[0]?.text ?? '') ?? [];
    const confirmed = await postForm(link.replace('https://svc.example', local), {
      origin: 'https://svc.example',
    });
    expect(confirmed.headers.get('set-cookie')).toMatch(
      /^__Host-svc_session=svc_pat_\w+; Max-Age=1209600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(confirmed.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    const call = await fetch(`${local}/v1/local/none`);
    expect(call.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  });

  test('no route of management is for scripts of other sites: none answers with CORS, nor a preflight', async () => {
    const paths = new Set(
      Object.values(ROUTES)
        .map(({ path }) => path)
        .filter((path) => !path.startsWith('/v1/')),
    );
    const headers = {
      origin: 'https://evil.example',
      cookie: ada.cookie,
      'access-control-request-method': 'POST',
    };
    for (const path of paths) {
      const target = url(path.replaceAll(/\{\w+\}/g, crypto.randomUUID()));
      for (const method of ['GET', 'OPTIONS']) {
        const response = await fetch(target, { method, headers, redirect: 'manual' });
        const cors = [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));
        expect([method, path, cors]).toEqual([method, path, []]);
        if (method === 'OPTIONS') expect([405, 404]).toContain(response.status);
      }
    }
  });

  test('every answer says that it is kept nowhere, framed nowhere and what it is', async () => {
    for (const path of [
      '/workspace',
      '/auth/sessions',
      '/no/such/path',
      '/login/x',
      '/join/x',
      '/device',
      '/health',
    ]) {
      const { headers } = await ada.ask('GET', path);
      const said = ['cache-control', 'x-content-type-options', 'x-frame-options'].map((name) =>
        headers.get(name),
      );
      expect([path, ...said]).toEqual([path, 'no-store', 'nosniff', 'DENY']);
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
    expect((await ada.ask('GET', '/local/badge.svg')).headers.get('cross-origin-resource-policy')).toBe(
      'cross-origin',
    );
  });
});
