// AI clients get access from a user in a browser (decision 74, access for AI clients), and the attacks on that.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Approvals } from '../approvals.ts';
import { freePort } from '../free-port.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type Person, signIn } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { authorizationProblems } from './conformance/suite.ts';
import { type Asked, OAuthClient, REDIRECT, type Tokens } from './oauth-client.ts';
import { call, callResponse, rpc } from './raw-agent.ts';

let world: HubWorld;
let machine: ScriptedAgent;
let approvals: Approvals;
let client: OAuthClient;
let lin: Person;
let hub: string;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off', SVC_MCP_DCR: 'on' } });
  hub = world.hub.hubUrl;
  machine = await world.agent({
    endpoints: [
      { name: 'disk', command: 'true' },
      { name: 'restart', command: 'true' },
      { name: 'deploy', command: 'true', approval_required: true },
    ],
  });
  approvals = new Approvals(world);
  lin = await approvals.member('lin@example.com');
  client = await OAuthClient.register(world);
});
afterAll(() => world[Symbol.asyncDispose]());

const at = ({ access }: Pick<Tokens, 'access'>, path = '/mcp') => ({ url: `${hub}${path}`, key: access });
const statusOf = async (tokens: Pick<Tokens, 'access'>, path?: string) =>
  (await rpc(at(tokens, path), 'tools/list')).status;
const toolsOf = async (tokens: Tokens) => {
  const { result } = await rpc(at(tokens), 'tools/list');
  const tools = result?.tools as { name: string }[];
  return tools.map(({ name }) => name).filter((name) => !name.startsWith('svc_'));
};
const issued = async (more: Record<string, string> = {}): Promise<{ asked: Asked; code: string }> => {
  const asked = client.ask(more);
  return { asked, code: (await client.allowed(asked, lin)).get('code') ?? '' };
};
const clients = async (person: Person) => {
  const { body } = await person.ask('GET', '/ai-clients', { workspace: world.start.username });
  return body.items as { id: string; name: string; scopes: string[]; last_used_at: string | null }[];
};

describe('a client without a token', () => {
  test('finds the authorization server from the 401', async () => {
    for (const path of ['/mcp', '/mcp/ada']) {
      const response = await fetch(`${hub}${path}`, { method: 'POST' });
      const challenge = response.headers.get('www-authenticate') ?? '';
      const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
      expect([response.status, challenge.includes('error=')]).toEqual([401, false]);
      const resource = (await (await fetch(url)).json()) as Record<string, unknown>;
      expect(resource).toMatchObject({ resource: `${hub}${path}`, authorization_servers: [hub] });
    }
    const server = await (await fetch(`${hub}/.well-known/oauth-authorization-server`)).json();
    expect(server).toMatchObject({
      issuer: hub,
      code_challenge_methods_supported: ['S256'],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      registration_endpoint: `${hub}/oauth/register`,
    });
    const wrong = await fetch(`${hub}/mcp`, { method: 'POST', headers: { authorization: 'Bearer x' } });
    expect(wrong.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('leads a person without a session through the sign-in and back', async () => {
    const asked = client.ask();
    const { status, html } = await client.page(asked);
    const to = /name="to" value="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect([status, to.startsWith('/oauth/authorize?response_type=code&')]).toEqual([200, true]);
    const form = new URLSearchParams({ email: lin.email, to });
    const headers = { origin: hub };
    const sent = await fetch(`${hub}/login`, { method: 'POST', headers, body: form });
    expect(decodeURIComponent(sent.headers.getSetCookie()[0] ?? '')).toContain(`svc_return=connect.${to};`);
  });
});

describe('a person', () => {
  test('sees who asks for what, and allows only a part', async () => {
    const asked = client.ask({ scope: 'run:disk run:restart read approve admin' });
    const { html, headers } = await client.page(asked, lin);
    for (const shown of ['Editor', 'registered itself', lin.email, 'on this computer', 'disk', 'restart'])
      expect(html).toContain(shown);
    expect(html).not.toContain('deploy');
    expect(headers.get('x-frame-options')).toBe('DENY');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self' http://127.0.0.1:4711;");
    // More than was asked for is not given.
    const back = await client.allowed(asked, lin, { run: ['disk', 'deploy', '*approve'] });
    expect([...back.keys()].sort()).toEqual(['code', 'iss', 'state']);
    expect([back.get('iss'), back.get('state')]).toEqual([hub, 'the state']);
    const { status, body, headers: answered } = await client.exchange(asked, back.get('code') ?? '');
    expect([status, answered.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^svc_oa_/),
      token_type: 'Bearer',
      expires_in: 3_600,
      refresh_token: expect.stringMatching(/^svc_or_/),
      scope: 'run:disk',
    });
    const tokens = { access: String(body.access_token), refresh: '', scope: '' };
    expect(await toolsOf(tokens)).toEqual(['disk']);
    expect((await step(tokens, 'restart')).status).toBe(403);
  });

  test('refuses, and the client hears it', async () => {
    const back = await client.allowed(client.ask(), lin, { decision: 'deny' });
    expect(Object.fromEntries(back)).toEqual({ error: 'access_denied', state: 'the state', iss: hub });
  });

  test('lets it run endpoints, sees its calls under its name, and revokes it at once', async () => {
    const tokens = await client.connect(lin, { read: true }, { scope: 'run:* read' });
    expect(tokens.scope).toBe('run:* read');
    const called = call(at(tokens), 'disk', {});
    const id = await machine.answer('12 %\n');
    expect(JSON.stringify((await called).result)).toContain('12 %');
    const { body } = await lin.ask('GET', `/executions/${id}`, { workspace: world.start.username });
    expect(body).toMatchObject({
      trigger: 'mcp',
      requested_by: 'an AI agent with key "Editor" of lin@example.com',
    });
    const mine = (await clients(lin)).find(({ scopes }) => scopes.includes('read'));
    expect(mine).toMatchObject({
      name: 'Editor',
      scopes: ['run:*', 'read'],
      last_used_at: expect.any(String),
    });
    const keys = await lin.ask('GET', '/api-keys', { workspace: world.start.username });
    expect(keys.body.items).toEqual([]);
    const gone = await lin.ask('DELETE', `/ai-clients/${mine?.id}`, { workspace: world.start.username });
    expect([gone.status, await statusOf(tokens)]).toEqual([204, 401]);
    expect((await client.refresh(tokens.refresh)).body.error).toBe('invalid_grant');
    const audit = await (await world.manage('/audit?limit=100')).text();
    for (const action of ['ai_client.allowed', 'ai_client.denied', 'ai_client.revoked'])
      expect(audit).toContain(`"${action}"`);
  });

  test('decides on what their own client asked; the link alone does not, and nor does the client', async () => {
    const tokens = await client.connect(lin);
    const pending = await call(at(tokens), 'deploy', {});
    const url = /http\S+\/approve\/[\w-]+/.exec(JSON.stringify(pending.result))?.[0] ?? '';
    const { items } = (await (await world.manage('/approvals?status=pending_approval')).json()) as {
      items: { approval_id: string }[];
    };
    const id = String(items[0]?.approval_id);
    expect((await (await approvals.opened(new URL(url).pathname))('approve')).status).toBe(403);
    const headers = { authorization: `Bearer ${tokens.access}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ decision: 'approve' });
    const byClient = await fetch(`${hub}/approvals/${id}/decide`, { method: 'POST', headers, body });
    expect(byClient.status).toBe(401);
    expect((await approvals.decideAs(lin, id, 'deny')).status).toBe(200);
  });

  test('who leaves the workspace takes the access of their clients along', async () => {
    const mia = await approvals.member('mia@example.com');
    const tokens = await client.connect(mia);
    expect(await statusOf(tokens)).toBe(200);
    const { body } = await mia.ask('GET', '/team/members', { workspace: world.start.username });
    const { id } =
      (body.items as { id: string; email: string }[]).find(({ email }) => email === mia.email) ?? {};
    expect((await world.manage(`/team/members/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await statusOf(tokens)).toBe(401);
    expect((await client.refresh(tokens.refresh)).body.error).toBe('invalid_grant');
  });
});

/** The status of a call, and the scope of its challenge. */
const step = async (tokens: Tokens, name: string, args: object = {}, path = '/mcp') => {
  const response = await callResponse(at(tokens, path), name, args);
  const challenge = response.headers.get('www-authenticate') ?? '';
  await response.body?.cancel();
  return { status: response.status, challenge, scope: /scope="([^"]*)"/.exec(challenge)?.[1] };
};

describe('a client that needs more than it was granted', () => {
  test('is told for which scopes to ask, whether the endpoint exists or not, and gets them from its user', async () => {
    const tokens = await client.connect(lin, { run: ['disk'] });
    for (const [tool, args] of [
      ['restart', {}],
      ['svc_run', { name: 'restart' }],
    ] as const) {
      const { status, challenge, scope } = await step(tokens, tool, args);
      expect([status, scope]).toEqual([403, 'run:disk run:restart']);
      expect(challenge).toStartWith('Bearer error="insufficient_scope", ');
      expect(challenge).toContain(`resource_metadata="${hub}/.well-known/oauth-protected-resource/mcp"`);
    }
    const nothing = await step(tokens, 'of-nobody', {}, `/mcp/${world.start.username}`);
    expect([nothing.status, nothing.scope]).toEqual([403, 'run:disk run:of-nobody']);
    expect(nothing.challenge).toContain(`/oauth-protected-resource/mcp/${world.start.username}"`);
    expect((await step(tokens, '"x", scope="run:*')).status).toBe(200);
    const wider = await client.connect(lin, { run: ['disk', 'restart'] }, { scope: 'run:disk run:restart' });
    const called = call(at(wider), 'restart', {});
    await machine.answer('restarted\n');
    expect(JSON.stringify((await called).result)).toContain('restarted');
  });

  test('is not told so when it has a key, or every endpoint', async () => {
    const tokens = await client.connect(lin);
    expect((await step(tokens, 'of-nobody')).status).toBe(200);
    expect((await step({ ...tokens, access: world.start.apiKey }, 'of-nobody')).status).toBe(200);
  });
});

describe('the scope read', () => {
  test('opens the executions of the workspace for reading, and for nothing else', async () => {
    const own = await client.connect(lin, {}, { scope: 'run:disk' });
    const reads = await client.connect(lin, { run: [], read: true }, { scope: 'read' });
    const called = world.call('restart');
    const id = await machine.answer('somebody else began this\n');
    await called;
    const told = async (tokens: Tokens, tool: string) =>
      JSON.stringify((await call(at(tokens), tool, { id })).result);
    const missing = await step(own, 'svc_output', { id });
    expect([missing.status, missing.scope]).toEqual([403, 'run:disk read']);
    expect(await told(own, 'svc_cancel')).toContain('there is no such execution');
    const nowhere = await step(own, 'svc_output', { id: crypto.randomUUID() });
    expect(nowhere.status).toBe(200);
    expect(await told(reads, 'svc_output')).toContain('somebody else began this');
    expect(await told(reads, 'svc_cancel')).toContain('there is no such execution');
    expect(await toolsOf(reads)).toEqual([]);
  });
});

test('the official suite finds nothing wrong with the authorization server', async () => {
  await using folder = await temporaryFolder();
  const port = await freePort();
  const redirect = `http://127.0.0.1:${port}/callback`;
  const { id: clientId } = await OAuthClient.register(world, [redirect]);
  const browse = async (url: string) => {
    const query = Object.fromEntries(new URL(url).searchParams);
    const { html } = await client.page({ verifier: '', query }, lin);
    await fetch((await client.submit(html, lin)).headers.get('location') ?? '');
  };
  const given = { clientId, port, resource: `${hub}/mcp` };
  const { problems, count } = await authorizationProblems(hub, given, browse, folder.path);
  expect([problems, count]).toEqual([[], 3]);
});

const misuses = async () =>
  (await (await world.manage('/audit?limit=100')).text()).split('"ai_client.misused"').length;

describe('an attack', () => {
  test('a code that comes twice gives nothing, and revokes what it gave before', async () => {
    const { asked, code } = await issued();
    const { body } = await client.exchange(asked, code);
    const tokens = { access: String(body.access_token) };
    expect(await statusOf(tokens)).toBe(200);
    const again = await client.exchange(asked, code);
    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect(await statusOf(tokens)).toBe(401);
    expect(await (await world.manage('/audit?limit=100')).text()).toContain('"ai_client.misused"');
  });

  test('a code sent twice at the same moment works at most once, and leaves no access', async () => {
    const { asked, code } = await issued();
    const answers = await Promise.all([client.exchange(asked, code), client.exchange(asked, code)]);
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
    for (const { body } of answers)
      if (typeof body.access_token === 'string')
        expect(await statusOf({ access: body.access_token })).toBe(401);
  });

  test('a code of a person who has left gives no tokens, and revokes nothing as misused', async () => {
    const eva = await approvals.member('eva@example.com');
    const asked = client.ask();
    const code = (await client.allowed(asked, eva)).get('code') ?? '';
    const { body } = await eva.ask('GET', '/team/members', { workspace: world.start.username });
    const { id } =
      (body.items as { id: string; email: string }[]).find(({ email }) => email === eva.email) ?? {};
    expect((await world.manage(`/team/members/${id}`, { method: 'DELETE' })).status).toBe(204);
    const before = await misuses();
    expect((await client.exchange(asked, code)).body.error).toBe('invalid_grant');
    expect(await misuses()).toBe(before);
  });

  test('a refresh token that comes twice revokes the whole family', async () => {
    const first = await client.connect(lin);
    const second = (await client.refresh(first.refresh)).body;
    expect(await statusOf({ access: String(second.access_token) })).toBe(200);
    const reused = await client.refresh(first.refresh);
    expect([reused.status, reused.body.error]).toEqual([400, 'invalid_grant']);
    for (const access of [first.access, String(second.access_token)])
      expect(await statusOf({ access })).toBe(401);
    expect((await client.refresh(second.refresh_token)).body.error).toBe('invalid_grant');
  });

  test.each([
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'https://evil.example/' }, 'invalid_grant'],
    ['another client', { client_id: 'https://evil.example/client' }, 'invalid_grant'],
    ['another resource', { resource: 'https://evil.example/mcp' }, 'invalid_target'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
  ])('a code with %s is refused', async (_, more, error) => {
    const { asked, code } = await issued();
    const { status, body } = await client.exchange(asked, code, more);
    expect([status, body.error]).toEqual([400, error]);
    expect((await client.exchange(asked, code)).status).toBe(200);
  });

  test.each([
    ['an unregistered redirect URI', { redirect_uri: 'https://evil.example/' }, 'redirect_uri'],
    ['the redirect URI with a path more', { redirect_uri: `${REDIRECT}/x` }, 'redirect_uri'],
    ['the plain challenge', { code_challenge_method: 'plain' }, 'code_challenge_method'],
    ['no challenge', { code_challenge: '' }, 'code_challenge'],
    ['the implicit grant', { response_type: 'token' }, 'response_type'],
    ['a foreign resource', { resource: 'https://evil.example/mcp' }, 'resource'],
    ['the workspace of others', { resource: 'HUB/mcp/somebody-else' }, 'no such workspace'],
    ['a client that is unknown', { client_id: 'dcr_v1.0123456789abcdef.x.y' }, 'did not register here'],
    ['a client of the machine itself', { client_id: 'https://127.0.0.1/client' }, 'public Internet'],
    ['a client of the cloud', { client_id: 'https://169.254.169.254/latest' }, 'public Internet'],
    ['a client without TLS', { client_id: 'http://app.example/client' }, 'https://'],
  ])('%s is answered with a page, and never with a redirect', async (_, more, about) => {
    const entries = Object.entries(more).map(([name, value]) => [name, value.replace('HUB', hub)]);
    const { status, html, headers } = await client.page(client.ask(Object.fromEntries(entries)), lin);
    expect([status >= 400 && status < 500, headers.get('location')]).toEqual([true, null]);
    expect(html).toContain(about);
    expect(html).not.toContain('<form');
  });

  test('the port of a program on this computer is free, its path is not', async () => {
    const local = await OAuthClient.register(world, ['http://localhost/callback', 'https://app.example/cb']);
    const page = async (redirect_uri: string) => (await local.page(local.ask({ redirect_uri }), lin)).status;
    expect(await page('http://localhost:50123/callback')).toBe(200);
    expect(await page('http://localhost:50123/other')).toBe(400);
    expect(await page('http://localhost.evil.example/callback')).toBe(400);
    expect(await page('https://app.example:444/cb')).toBe(400);
  });

  test('a form from another site, or made for another person, decides nothing', async () => {
    const asked = client.ask();
    const { html } = await client.page(asked, lin);
    const foreign = await client.submit(html, lin, { headers: { origin: 'https://evil.example' } });
    const crossSite = await client.submit(html, lin, { headers: { 'sec-fetch-site': 'cross-site' } });
    const eve = await signIn(world, 'eve@example.com');
    const planted = await client.submit((await client.page(asked, eve)).html, lin);
    const nobody = await client.submit(html, { ...lin, cookie: '' });
    expect([foreign, crossSite, planted, nobody].map(({ status }) => status)).toEqual([403, 403, 403, 401]);
    const none = [foreign, crossSite, planted, nobody].map(({ headers }) => headers.get('location'));
    expect(none).toEqual([null, null, null, null]);
  });

  test('a token for one workspace address works there only, and nowhere outside /mcp', async () => {
    const { username } = world.start;
    const resource = `${hub}/mcp/${username}`;
    const asked = client.ask({ resource });
    const code = (await client.allowed(asked, lin)).get('code') ?? '';
    const { body } = await client.exchange(asked, code, { resource });
    const tokens = { access: String(body.access_token) };
    expect(await statusOf(tokens, `/mcp/${username}`)).toBe(200);
    expect(await statusOf(tokens)).toBe(401);
    const headers = { authorization: `Bearer ${tokens.access}` };
    for (const path of [`/v1/${username}/disk`, '/executions', '/workspace', '/ai-clients'])
      expect((await fetch(`${hub}${path}`, { headers })).status).toBe(401);
    // A refresh token is no access token.
    expect(await statusOf({ access: String(body.refresh_token) })).toBe(401);
  });

  test('an answer names its issuer, so that a client notices a mix-up', async () => {
    const back = await client.allowed(client.ask(), lin);
    expect(back.getAll('iss')).toEqual([hub]);
  });

  test('a token is over after an hour, a code after a minute', async () => {
    const { asked, code } = await issued();
    const tokens = await client.connect(lin);
    world.clock.move(60_001);
    expect((await client.exchange(asked, code)).body.error).toBe('invalid_grant');
    expect(await statusOf(tokens)).toBe(200);
    world.clock.move(3_600_000);
    expect(await statusOf(tokens)).toBe(401);
    const renewed = (await client.refresh(tokens.refresh)).body;
    expect(await statusOf({ access: String(renewed.access_token) })).toBe(200);
  });

  test('its client gives up the access, and no other client can', async () => {
    const tokens = await client.connect(lin);
    const revoke = (client_id: string) => client.post('/oauth/revoke', { token: tokens.refresh, client_id });
    expect((await revoke('https://evil.example/client')).status).toBe(200);
    expect(await statusOf(tokens)).toBe(200);
    expect((await revoke(client.id)).status).toBe(200);
    expect(await statusOf(tokens)).toBe(401);
  });
});
