// Accounts to the degree that calls need: references 1 and 5, decisions 1, 3, 25, 26, 34, 44 to 46, 52 and 54.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { postForm } from '../forms.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';

let world: HubWorld;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_FORWARD_CAP_S: '3600' } });
});
afterEach(() => world[Symbol.asyncDispose]());

const JSON_TYPE = { 'content-type': 'application/json' };
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${world.hub.hubUrl}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...JSON_TYPE, ...headers },
  });

/** The link in the newest mail of the outbox. */
async function mailedLink(): Promise<string> {
  const { items } = (await (await world.manage('/outbox')).json()) as {
    items: { to: string; text: string }[];
  };
  return /http\S+/.exec(items[0]?.text ?? '')?.[0] ?? '';
}

async function signIn(email: string): Promise<{ cookie: string; headers: Record<string, string> }> {
  await post('/auth/magic-link', { email });
  const response = await postForm(await mailedLink());
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, headers: { cookie, origin: world.hub.hubUrl } };
}

describe('a sign-in link', () => {
  test('shows who it is for and changes nothing until it is confirmed, then works once', async () => {
    expect((await post('/auth/magic-link', { email: 'ada@example.com' })).status).toBe(202);
    const link = await mailedLink();
    for (const method of ['GET', 'HEAD', 'GET']) {
      const shown = await fetch(link, { method });
      expect([shown.status, shown.headers.get('set-cookie')]).toEqual([200, null]);
      if (method === 'GET') expect(await shown.text()).toContain('ada@example.com');
    }
    const confirmed = await postForm(link);
    const cookie = confirmed.headers.get('set-cookie') ?? '';
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, '/dashboard']);
    expect(cookie).toMatch(/^svc_session=svc_pat_\w+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
    for (const header of ['cache-control', 'referrer-policy', 'content-security-policy'])
      expect(confirmed.headers.get(header)).toMatch(/no-store|no-referrer|frame-ancestors 'none'/);
    for (const again of [await fetch(link), await postForm(link)]) expect(again.status).toBe(410);
  });

  test('opens once, though twenty confirm it at the same moment', async () => {
    await post('/auth/magic-link', { email: 'ada@example.com' });
    const link = await mailedLink();
    const all = await Promise.all(Array.from({ length: 20 }, () => postForm(link)));
    const statuses = all.map(({ status }) => status);
    expect([
      statuses.filter((status) => status === 303).length,
      statuses.filter((status) => status === 410 || status === 429).length,
    ]).toEqual([1, 19]);
  });

  test('is over after 15 minutes', async () => {
    await post('/auth/magic-link', { email: 'ada@example.com' });
    const link = await mailedLink();
    world.clock.move(15 * 60_000);
    const response = await postForm(link);
    expect([response.status, response.headers.get('set-cookie')]).toEqual([410, null]);
  });

  test('that was changed in any place is unknown', async () => {
    await post('/auth/magic-link', { email: 'ada@example.com' });
    const link = await mailedLink();
    const at = link.lastIndexOf('/') + 1;
    for (const place of [at, at + 20, at + 22, at + 50, link.length - 1]) {
      const other = link[place] === 'A' ? 'B' : 'A';
      const changed = `${link.slice(0, place)}${other}${link.slice(place + 1)}`;
      expect((await postForm(changed)).status).toBe(404);
    }
  });

  test('gives programs an access token that works for 12 hours', async () => {
    await post('/auth/magic-link', { email: 'ada@example.com' });
    const token = (await mailedLink()).split('/').at(-1);
    const body = (await (await post('/auth/token', { token })).json()) as Record<string, unknown>;
    expect(body).toEqual({ access_token: expect.stringMatching(/^svc_pat_/), expires_in: 43_200 });
    const show = () =>
      fetch(`${world.hub.hubUrl}/workspace`, { headers: { authorization: `Bearer ${body.access_token}` } });
    expect(await (await show()).json()).toMatchObject({
      email: 'ada@example.com',
      role: 'owner',
      username: null,
    });
    expect((await post('/auth/token', { token })).status).toBe(410);
    world.clock.move(43_200_000);
    expect((await show()).status).toBe(401);
  });

  test('is asked for ten times a minute from one address, then 429 with Retry-After', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 10; n += 1)
      statuses.push((await post('/auth/magic-link', { email: `a${n}@example.com` })).status);
    const limited = await post('/auth/magic-link', { email: 'b@example.com' });
    expect([new Set(statuses), limited.status, limited.headers.get('retry-after')]).toEqual([
      new Set([202]),
      429,
      '6',
    ]);
  });
});

describe('a session', () => {
  test('chooses the username, once, and makes keys and agent tokens; only hashes are stored', async () => {
    const { headers } = await signIn('ada@example.com');
    const choose = (username: string) =>
      fetch(`${world.hub.hubUrl}/workspace/username`, {
        method: 'PUT',
        headers: { ...headers, ...JSON_TYPE },
        body: JSON.stringify({ username }),
      });
    const codes: unknown[] = [];
    for (const name of ['Ada', 'a', '-ada', 'dashboard', 'v1', 'local', 'ada', 'eve'])
      codes.push(((await (await choose(name)).json()) as { code?: string }).code);
    expect(codes).toEqual([
      'invalid_argument',
      'invalid_argument',
      'invalid_argument',
      'username_taken',
      'username_taken',
      'username_taken',
      undefined,
      'username_chosen',
    ]);
    const key = (await (await post('/api-keys', { name: 'k' }, headers)).json()) as {
      token: string;
      last4: string;
    };
    const agentToken = (await (await post('/agent-tokens', { name: 't' }, headers)).json()) as {
      token: string;
    };
    expect([key.token.slice(0, 7), agentToken.token.slice(0, 7), key.token.slice(-4)]).toEqual([
      'svc_sk_',
      'svc_at_',
      key.last4,
    ]);
    const list = await (await fetch(`${world.hub.hubUrl}/api-keys`, { headers })).text();
    expect(list).not.toContain(key.token);
    for (const file of new Bun.Glob('**').scanSync({ cwd: world.dataDir, absolute: true })) {
      const text = await Bun.file(file).text();
      for (const { token } of [key, agentToken]) expect(text).not.toContain(token);
    }
    expect(world.logLines.join('')).not.toMatch(/svc_(?:sk|at|pat)_\w/);
  });

  test('is no use to a page of another site, nor as a bearer token', async () => {
    const { headers, cookie } = await signIn('ada@example.com');
    const make = (more: Record<string, string>) => post('/api-keys', { name: 'k' }, { cookie, ...more });
    expect((await make({})).status).toBe(403);
    expect((await make({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await make({ 'sec-fetch-site': 'cross-site', origin: world.hub.hubUrl })).status).toBe(403);
    expect((await make(headers)).status).toBe(201);
    const bearer = { authorization: `Bearer ${cookie.split('=')[1]}` };
    expect((await fetch(`${world.hub.hubUrl}/workspace`, { headers: bearer })).status).toBe(401);
  });

  test('ends with sign-out', async () => {
    const { headers } = await signIn('ada@example.com');
    expect((await post('/auth/logout', {}, headers)).status).toBe(204);
    expect((await fetch(`${world.hub.hubUrl}/workspace`, { headers })).status).toBe(401);
  });

  test('sees nothing of another workspace: unknown and foreign ids are one', async () => {
    const { headers } = await signIn('ada@example.com');
    const agent = await world.agent({ endpoints: [{ name: 'job', command: 'true' }] });
    const called = world.call('job');
    const id = await agent.answer('mine\n');
    await called;
    const asAda = (path: string, method = 'GET') =>
      fetch(`${world.hub.hubUrl}${path}`, { method, headers }).then(async (response) => [
        response.status,
        await response.text(),
      ]);
    for (const [path, method] of [
      ['', 'GET'],
      ['/stream', 'GET'],
      ['/output', 'GET'],
      ['/cancel', 'POST'],
    ] as const) {
      const foreign = await asAda(`/executions/${id}${path}`, method);
      expect(foreign).toEqual(await asAda(`/executions/${crypto.randomUUID()}${path}`, method));
      expect(foreign[0]).toBe(404);
    }
    expect(await asAda('/executions')).toEqual([200, '{"items":[],"next_cursor":null}\n']);
    const { items } = (await (await world.manage('/api-keys')).json()) as { items: { id: string }[] };
    expect((await asAda(`/api-keys/${items[0]?.id}`, 'DELETE'))[0]).toBe(404);
    expect((await asAda('/outbox'))[0]).toBe(404);
    const named = { ...headers, 'x-svc-workspace': 'local' };
    expect((await fetch(`${world.hub.hubUrl}/executions`, { headers: named })).status).toBe(403);
  });
});

test('revoking an agent token closes its connections at once', async () => {
  const agent = await world.agent({ endpoints: [] });
  const { items } = (await (await world.manage('/agent-tokens')).json()) as { items: { id: string }[] };
  expect((await world.manage(`/agent-tokens/${items[0]?.id}`, { method: 'DELETE' })).status).toBe(204);
  expect(await agent.closed).toBe(4401);
});

test('an agent token that is bound to a name connects under no other, and others cannot take that name', async () => {
  const make = async (body: object) =>
    (await (
      await world.manage('/agent-tokens', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) })
    ).json()) as {
      token: string;
    };
  const { ScriptedAgent, hello } = await import('../scripted-agent.ts');
  const bound = await make({ name: 'b', agent_name: 'build' });
  const tryAs = async (token: string, name: string) => {
    const agent = await ScriptedAgent.dial({ hubUrl: world.hub.hubUrl, token });
    agent.say(hello({ endpoints: [], name, instance: crypto.randomUUID() }));
    return Promise.race([
      agent.closed,
      agent.receive('welcome').then(
        () => 'welcome',
        () => agent.closed,
      ),
    ]);
  };
  expect(await tryAs(bound.token, 'build')).toBe('welcome');
  expect(await tryAs(bound.token, 'other')).toBe(4403);
  expect(await tryAs(world.start.agentToken, 'build')).toBe(4403);
  expect(await tryAs(world.start.agentToken, 'hosted')).toBe(4403);
});

describe('with a mail server', () => {
  test('a mail is delivered, and one that was refused is tried again', async () => {
    const mails: string[] = [];
    let isDown = true;
    const { promise: delivered, resolve } = Promise.withResolvers<void>();
    const { promise: tried, resolve: onTry } = Promise.withResolvers<void>();
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onMailFrom(_address, _session, done) {
        if (isDown) onTry();
        done(isDown ? Object.assign(new Error('not now'), { responseCode: 450 }) : null);
      },
      async onData(stream, _session, done) {
        mails.push(await new Response(stream as unknown as ReadableStream).text());
        done();
        resolve();
      },
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.server.address() as { port: number };
    await using other = await hubWorld({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
    await fetch(`${other.hub.hubUrl}/auth/magic-link`, {
      method: 'POST',
      headers: JSON_TYPE,
      body: '{"email":"ada@example.com"}',
    });
    await tried;
    isDown = false;
    await other.clock.untilTimer(30_000);
    other.clock.move(30_000);
    await delivered;
    const mail = await PostalMime.parse(mails[0] ?? '');
    expect([mail.to?.[0]?.address, mail.subject]).toEqual(['ada@example.com', 'Sign in to svc']);
    expect(mail.text).toContain(`${other.hub.hubUrl}/login/`);
    server.close();
  });
});

describe('limits', () => {
  test('the monthly quota is exact though calls come at once, differs from the rate limit, and is back next month', async () => {
    await using free = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'free', SVC_RATE_LIMITS: 'off' } });
    const agent = await free.agent({ endpoints: [{ name: 'job', command: 'true' }] });
    let isOver = false;
    const playing = (async () => {
      while (!isOver) await agent.answer('x\n').catch(() => undefined);
    })();
    const statuses: number[] = [];
    for (let batch = 0; batch < 11; batch += 1)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 100 }, () => free.call('job')))).map(
          ({ status }) => status,
        ),
      );
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 429).length,
    ]).toEqual([1000, 100]);
    const refused = await free.call('job');
    expect(await refused.json()).toMatchObject({
      code: 'quota_exceeded',
      details: { limit: 1000, resets_at: '2026-12-01T00:00:00.000Z' },
    });
    expect(Number(refused.headers.get('retry-after'))).toBe(10.5 * 86_400);
    free.clock.move(10.5 * 86_400_000);
    const { token } = await freshKey(free);
    expect((await free.call('job', { headers: { 'x-api-key': token } })).status).toBe(200);
    isOver = true;
    await agent.vanish();
    await playing;
  });

  test('more calls than the rate are 429 with Retry-After; anonymous ones are counted by address', async () => {
    await using slow = await hubWorld({ env: { SVC_RATE_LIMITS: 'key=3,public=2' } });
    await slow.agent({ endpoints: [{ name: 'open', command: 'true', public: true }] });
    const byKey = () => slow.call('open', { headers: { prefer: 'respond-async' } });
    const byNobody = () => fetch(slow.urlOf('open'), { headers: { prefer: 'respond-async' } });
    expect([(await byKey()).status, (await byKey()).status, (await byKey()).status]).toEqual([202, 202, 202]);
    const limited = await byKey();
    expect([
      limited.status,
      limited.headers.get('retry-after'),
      ((await limited.json()) as { code: string }).code,
    ]).toEqual([429, '20', 'rate_limited']);
    expect([(await byNobody()).status, (await byNobody()).status, (await byNobody()).status]).toEqual([
      202, 202, 429,
    ]);
    slow.clock.move(20_000);
    expect([(await byKey()).status, (await byKey()).status]).toEqual([202, 429]);
  });
});

async function freshKey(of: HubWorld): Promise<{ token: string }> {
  // The access token of the start is older than 12 hours by now.
  await fetch(`${of.hub.hubUrl}/auth/magic-link`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: '{"email":"operator@localhost"}',
  });
  const { accessToken } = await of.hub.firstRun();
  const made = await fetch(`${of.hub.hubUrl}/api-keys`, {
    method: 'POST',
    headers: { ...JSON_TYPE, authorization: `Bearer ${accessToken}` },
    body: '{"name":"fresh"}',
  });
  return (await made.json()) as { token: string };
}

describe('the status of the hub', () => {
  test('is in /health, /ready and /metrics, which contain no names', async () => {
    expect(await (await fetch(`${world.hub.hubUrl}/health`)).json()).toEqual({
      status: 'ok',
      version: '0.0.0',
      uptime_s: 0,
      store: 'ok',
    });
    expect((await fetch(`${world.hub.hubUrl}/ready`)).status).toBe(200);
    await world.agent({ endpoints: [] });
    const metrics = await (await fetch(`${world.hub.hubUrl}/metrics`)).text();
    expect(metrics).toContain('svc_agents_connected 1');
    expect(metrics).not.toContain('local');
  });

  test('of an agent is a badge for everybody', async () => {
    const badge = (username: string, init?: RequestInit) =>
      fetch(`${world.hub.hubUrl}/${username}/badge.svg`, init);
    const offline = await badge('local');
    expect([offline.status, offline.headers.get('content-type')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
    ]);
    expect(offline.headers.get('cache-control')).toBe('no-cache, max-age=0, s-maxage=30');
    expect(await offline.text()).toContain('agent: offline');
    await using agent = await world.agent({ endpoints: [] });
    const online = await badge('local');
    expect(await online.text()).toContain('agent: online');
    const etag = online.headers.get('etag') ?? '';
    expect((await badge('local', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const unknown = await badge('nobody');
    expect([unknown.status, await unknown.text()]).toEqual([404, expect.stringContaining('unknown user')]);
    await agent.vanish();
  });

  test('a path that is there with another method is 405, one that is not is 404, both as JSON', async () => {
    const wrong = await fetch(`${world.hub.hubUrl}/health`, { method: 'POST' });
    expect([wrong.status, wrong.headers.get('allow'), wrong.headers.get('x-content-type-options')]).toEqual([
      405,
      'GET',
      'nosniff',
    ]);
    expect((await fetch(`${world.hub.hubUrl}/no/such/path`)).status).toBe(404);
  });
});
