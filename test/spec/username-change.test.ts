// The change of the username of a workspace: decision 102, change of username.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { OAuthClient } from '../mcp/oauth-client.ts';
import { BrokenProvider, CLIENT_ID, CLIENT_SECRET } from '../openid-providers.ts';
import { mailsTo, type Person, signIn } from '../people.ts';
import { makePipeline, postOf } from '../pipelines.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

let world: HubWorld;
let provider: BrokenProvider;
let owner: Person;
let agent: ScriptedAgent;
/** The username at the start of each test. */
let old: string;

beforeAll(async () => {
  provider = await BrokenProvider.start();
  world = await hubWorld({
    env: {
      SVC_RATE_LIMITS: 'off',
      SVC_MCP_DCR: 'on',
      SVC_SCIM_WORKSPACES: 'local',
      SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.1/32',
    },
  });
  owner = await signIn(world, 'operator@localhost');
  agent = await world.agent({
    endpoints: [
      { name: 'job', command: 'true', args: [{ name: 'to' }] },
      { name: 'open', command: 'true', public: true },
    ],
  });
  old = world.start.username;
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

const rename = (username: string, oldUrls = 'redirect', by = owner) =>
  by.ask('PATCH', '/workspace/username', { body: { username, old_urls: oldUrls } });
const setOldUrls = (username: string, oldUrls: string) =>
  owner.ask('PATCH', `/workspace/former-usernames/${username}`, { body: { old_urls: oldUrls } });
const present = async () => String((await owner.ask('GET', '/workspace')).body.username);
const at = (path: string, init: RequestInit = {}) =>
  fetch(`${world.hub.hubUrl}${path}`, { redirect: 'manual', ...init });
const key = () => ({ 'x-api-key': world.start.apiKey, accept: 'application/json' });

test('every URL with the username before leads to the same path with the new one', async () => {
  const answer = await rename('acme');
  expect([answer.status, answer.body]).toMatchObject([
    200,
    { username: 'acme', former: [{ username: old, old_urls: 'redirect' }] },
  ]);
  const moved = async (path: string, init?: RequestInit) => {
    const { status, headers } = await at(path, init);
    return [status, headers.get('location'), headers.get('cache-control')];
  };
  for (const [path, to] of [
    [`/v1/${old}/job?to=x%20y&fail=1`, '/v1/acme/job?to=x%20y&fail=1'],
    [`/v1/${old}/no%2Fsuch`, '/v1/acme/no%2Fsuch'],
    [`/v1/${old}`, '/v1/acme'],
    [`/v1/${old}/openapi.json`, '/v1/acme/openapi.json'],
    [`/${old}/badge.svg`, '/acme/badge.svg'],
    [`/v1/${old}//evil.example/x`, '/v1/acme//evil.example/x'],
  ] as const)
    expect([path, ...(await moved(path, { headers: key() }))]).toEqual([path, 308, to, 'no-store']);
  expect(await moved(`/v1/${old}/job`, { method: 'POST', body: '{}' })).toEqual([
    308,
    '/v1/acme/job',
    'no-store',
  ]);
  // Pages of other sites can follow the redirect, too.
  const page = await at(`/v1/${old}/open`, { headers: { origin: 'https://page.example' } });
  expect([page.status, page.headers.get('access-control-allow-origin')]).toEqual([308, '*']);
});

test('a caller that follows keeps its method, body and key, and the agent its connection', async () => {
  const call = fetch(`${world.hub.hubUrl}/v1/${old}/job`, {
    method: 'POST',
    headers: { ...key(), 'content-type': 'application/json' },
    body: '{"to":"Ada"}',
  });
  const order = await agent.receive('run');
  expect(order.args).toEqual({ to: 'Ada' });
  agent.output(order.execution_id, 1, 'ran\n');
  agent.end(order.execution_id, 1);
  expect(await (await call).json()).toMatchObject({ output: 'ran\n', exit_code: 0 });
  const listed = await owner.ask('GET', '/endpoints');
  expect(listed.text).toContain(`/v1/acme/job`);
  // Uses of the username: the header of sessions and tokens, records, keys.
  for (const workspace of [old, 'acme'])
    expect((await owner.ask('GET', '/workspace', { workspace })).body).toMatchObject({ username: 'acme' });
  const token = { authorization: `Bearer ${world.start.accessToken}` };
  for (const name of [old, 'acme'])
    expect((await at('/workspace', { headers: { ...token, 'x-svc-workspace': name } })).status).toBe(200);
  expect((await at(`/executions/${order.execution_id}`, { headers: key() })).status).toBe(200);
});

test('members, their programs and service accounts name the workspace by either username', async () => {
  await owner.ask('POST', '/team/invite', { body: { email: 'lin@example.com', role: 'member' } });
  const lin = await signIn(world, 'lin@example.com');
  const [mail] = (await mailsTo(world, 'lin@example.com')).filter(({ text }) => text.includes('/join/'));
  await lin.ask('POST', /http\S+\/join\/\S+/.exec(mail?.text ?? '')?.[0] ?? '');
  const made = await owner.ask('POST', '/service-accounts', { body: { name: 'ci', role: 'admin' } });
  const keyPath = `/service-accounts/${String(made.body.id)}/keys`;
  const program = await owner.ask('POST', keyPath, { body: { name: 'ci' } });
  for (const workspace of [old, 'acme']) {
    const shown = await lin.ask('GET', '/workspace', { workspace });
    expect([shown.status, shown.body.username, shown.body.role]).toEqual([200, 'acme', 'member']);
    expect((await lin.ask('POST', '/auth/token', { body: {}, workspace })).status).toBe(200);
    const headers = { 'x-api-key': String(program.body.token), 'x-svc-workspace': workspace };
    expect((await at('/endpoints', { headers })).status).toBe(200);
  }
  expect((await lin.ask('POST', '/auth/token', { body: {}, workspace: 'nobody' })).status).toBe(404);
});

test('signed webhooks and rights that the operator gave by username continue', async () => {
  await makePipeline(world, {
    slug: 'chain',
    trigger: { type: 'webhook', secret: 'the secret' },
    nodes: [{ id: 'job', endpoint: 'open' }],
  });
  const signature = createHmac('sha256', 'the secret').update('{}').digest('hex');
  const signed = postOf({}, { 'x-hub-signature-256': `sha256=${signature}`, prefer: 'respond-async' });
  const response = await fetch(`${world.hub.hubUrl}/v1/${old}/chain`, signed);
  expect(response.status).toBe(202);
  await agent.answer('ran\n');
  expect((await owner.ask('POST', '/team/scim/token', { body: {} })).status).toBe(201);
});

test('AI clients keep the address that their tokens are for', async () => {
  const mcp = (name: string, authorization: string) =>
    at(`/mcp/${name}`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
  for (const name of [old, 'acme'])
    expect([name, (await mcp(name, `Bearer ${world.start.apiKey}`)).status]).toEqual([name, 200]);
  const resource = `${world.hub.hubUrl}/mcp/acme`;
  const client = await OAuthClient.register(world);
  const { access, refresh } = await client.connect(owner, undefined, { resource });
  await rename('apex');
  expect((await mcp('acme', `Bearer ${access}`)).status).toBe(200);
  const again = await client.refresh(refresh, { resource });
  expect(again.status).toBe(200);
  // A new authorization for the former address finds the workspace, and its challenge names this address.
  await (await OAuthClient.register(world)).connect(owner, undefined, { resource });
  const challenge = (await mcp('acme', 'Bearer x')).headers.get('www-authenticate');
  expect(challenge).toContain('/.well-known/oauth-protected-resource/mcp/acme"');
  // A token is for the address that it was made for.
  expect((await mcp('apex', `Bearer ${String(again.body.access_token)}`)).status).toBe(401);
});

test('a former username stays with its workspace, which can take it again', async () => {
  const eve = await signIn(world, 'eve@example.com');
  const choose = (username: string) => eve.ask('PUT', '/workspace/username', { body: { username } });
  for (const name of [old, 'acme']) expect((await choose(name)).body.code).toBe('username_taken');
  expect((await choose('eve')).status).toBe(200);
  for (const name of [old, 'acme', 'apex', 'login'])
    expect((await rename(name, 'redirect', eve)).body.code).toBe('username_taken');
  expect((await rename('apex')).body.code).toBe('invalid_argument');
  // The former ones come in the order of their times.
  world.clock.move(1);
  const back = await rename('acme');
  expect(back.body).toMatchObject({ username: 'acme', former: [{ username: old }, { username: 'apex' }] });
  expect((await at('/v1/apex/open')).headers.get('location')).toBe('/v1/acme/open');
  expect((await at(`/v1/${old}/open`)).headers.get('location')).toBe('/v1/acme/open');
  expect((await at('/v1/acme/no-such')).status).toBe(401);
});

test('at the wish of the owner the old URLs answer 410, which names nothing', async () => {
  expect((await setOldUrls('apex', 'gone')).status).toBe(200);
  expect((await setOldUrls('acme', 'gone')).status).toBe(404);
  expect((await setOldUrls('eve', 'gone')).status).toBe(404);
  for (const path of ['/v1/apex/job', '/v1/apex', '/v1/apex/openapi.json', '/apex/badge.svg']) {
    const answer = await at(path, { headers: key() });
    const text = await answer.text();
    expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 410, null]);
    expect(text).toContain('username_gone');
    expect(text).not.toMatch(/acme|operator@/);
  }
  const mcp = await at('/mcp/apex', { method: 'POST', body: '{}' });
  expect([mcp.status, mcp.headers.get('www-authenticate')]).toEqual([410, null]);
  expect((await at('/login/workspace/apex')).status).toBe(410);
  // The header is no URL: members continue, and to others the workspace does not exist.
  expect((await owner.ask('GET', '/workspace', { workspace: 'apex' })).body.username).toBe('acme');
  const eve = await signIn(world, 'eve@example.com');
  expect((await eve.ask('GET', '/workspace', { workspace: 'apex' })).status).toBe(403);
  expect((await at('/v1/nobody-had-this/job', { headers: key() })).status).toBe(404);
});

test('only the owner changes it, in a session, and so often that names are not hoarded', async () => {
  const request = (headers: Record<string, string>) =>
    at('/workspace/username', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ username: 'other', old_urls: 'gone' }),
    });
  expect((await request({ authorization: `Bearer ${world.start.accessToken}` })).status).toBe(401);
  expect((await request({ 'x-api-key': world.start.apiKey })).status).toBe(401);
  const fresh = await signIn(world, 'fresh@example.com');
  expect((await rename('fresh', 'gone', fresh)).body.code).toBe('invalid_argument');
  const before = await present();
  const changes = await Promise.all(['n-one', 'n-two', 'n-three'].map((name) => rename(name)));
  expect(changes.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect((await rename('n-four')).body.code).toBe('limit_reached');
  expect((await rename(before)).status).toBe(200);
  const { items } = (await owner.ask('GET', '/audit?limit=100')).body as {
    items: { action: string; details: object }[];
  };
  expect(items.find(({ action }) => action === 'workspace.username_changed')?.details).toMatchObject({
    to: before,
    old_urls: 'redirect',
  });
});

describe('sign-in at the provider of the workspace', () => {
  test('continues at the redirect address that the provider knows', async () => {
    const set = (more: object = {}) =>
      owner.ask('PUT', '/workspace/sign-in-provider', {
        body: {
          issuer: provider.issuer,
          client_id: CLIENT_ID,
          client_secret: CLIENT_SECRET,
          name: 'Sons',
          ...more,
        },
      });
    expect((await set()).status).toBe(200);
    await rename(old, 'gone');
    const shown = (await owner.ask('GET', '/workspace/sign-in-provider')).body;
    expect([shown.redirect_uri, shown.sign_in_url]).toEqual([
      `${world.hub.hubUrl}/login/workspace/acme/callback`,
      `${world.hub.hubUrl}/login/workspace/${old}`,
    ]);
    // The page that asks for the workspace leads to it, and does not show its present username at one that has ended.
    const [leads, ended] = [await at(`/login/workspace?name=${old}`), await at('/login/workspace?name=acme')];
    expect([leads.status, ended.status]).toEqual([200, 410]);
    expect(await ended.text()).not.toContain(`/login/workspace/${old}`);
    const begun = await at(`/login/workspace/${old}`);
    const callback = new URL(begun.headers.get('location') ?? '').searchParams.get('redirect_uri');
    expect(callback).toBe(`${world.hub.hubUrl}/login/workspace/acme/callback`);
    // The return finds the workspace, though its old URLs have ended: only the code is missing here.
    expect((await at('/login/workspace/acme/callback?code=x')).status).not.toBe(404);
    await set({ name: 'Daughters' });
    expect((await owner.ask('GET', '/workspace/sign-in-provider')).body.redirect_uri).toBe(callback);
    await set({ client_id: 'another', client_secret: 'another' });
    expect((await owner.ask('GET', '/workspace/sign-in-provider')).body.redirect_uri).toBe(
      `${world.hub.hubUrl}/login/workspace/${old}/callback`,
    );
  });
});
