// Rights per endpoint: decision 87, rights per endpoint.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { OAuthClient } from '../mcp/oauth-client.ts';
import { type RawAgent, rpc } from '../mcp/raw-agent.ts';
import { type ParsedAnswer, type Person, readAnswer, signIn } from '../people.ts';
import { makePipeline } from '../pipelines.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const ENDPOINTS = [
  { name: 'deploy-web', command: 'true', tags: ['prod'] },
  { name: 'secret-report', command: 'true', tags: ['finance'] },
  { name: 'guarded', command: 'true', approval_required: true },
];

let world: HubWorld;
let agent: ScriptedAgent;
let lin: Person;
let linId: string;

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off', SVC_MCP_DCR: 'on' } });
  agent = await world.agent({ endpoints: ENDPOINTS });
  lin = await new Approvals(world).member('lin@example.com');
  const { items } = (await as('GET', '/team/members')).body as { items: { id: string }[] };
  linId = items[0]?.id ?? '';
});
afterAll(() => world[Symbol.asyncDispose]());

/** As the owner. */
async function as(method: string, path: string, body?: object): Promise<ParsedAnswer> {
  const init = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return await readAnswer(await world.manage(path, { method, ...init }));
}

const asLin = (method: string, path: string, body?: unknown) =>
  lin.ask(method, path, { ...(body === undefined ? {} : { body }), workspace: world.start.username });

const setAccess = (access: string) => as('PUT', '/team/endpoint-access', { access });

async function grant(endpoints: readonly string[], can: readonly string[]): Promise<string> {
  const wanted = { grantee_kind: 'member', grantee: linId, endpoints, can };
  const made = await as('POST', '/team/endpoint-grants', wanted);
  expect([made.status, made.body]).toMatchObject([201, { name: 'lin@example.com', endpoints, can }]);
  return String(made.body.id);
}

const withdraw = (id: string) => as('DELETE', `/team/endpoint-grants/${id}`);

async function slugsOf(answer: Promise<ParsedAnswer>): Promise<readonly string[]> {
  const { items } = (await answer).body as { items: { slug?: string; name?: string }[] };
  return items.map(({ slug, name }) => slug ?? name ?? '');
}

const call = (slug: string, key: string) =>
  fetch(world.urlOf(slug), {
    method: 'POST',
    headers: { 'x-api-key': key, prefer: 'respond-async', accept: 'application/json' },
  });

describe('with access by grants', () => {
  test('a member has nothing, and with a grant exactly its endpoints', async () => {
    await setAccess('by_grants');
    expect(await slugsOf(asLin('GET', '/endpoints'))).toEqual([]);
    const id = await grant(['deploy-*'], ['run']);
    expect(await slugsOf(asLin('GET', '/endpoints'))).toEqual(['deploy-web']);
    expect((await asLin('GET', '/endpoints/secret-report')).status).toBe(404);
    const refused = await asLin('POST', '/executions', { endpoint: 'secret-report', args: {} });
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    const started = asLin('POST', '/executions', { endpoint: 'deploy-web', args: {} });
    await agent.answer('done\n');
    expect((await started).status).toBe(202);
    const { items } = (await asLin('GET', '/executions')).body as { items: { endpoint: string }[] };
    expect(items.map(({ endpoint }) => endpoint)).toEqual(['deploy-web']);
    expect((await asLin('PATCH', '/endpoints/deploy-web', { description: 'x' })).status).toBe(403);
    expect((await withdraw(id)).status).toBe(204);
    expect((await asLin('POST', '/executions', { endpoint: 'deploy-web', args: {} })).status).toBe(404);
    expect(await slugsOf(asLin('GET', '/endpoints'))).toEqual([]);
  });

  test('a key is cut by the grants of its maker at each call, and an owner never', async () => {
    await setAccess('all');
    const { body } = await asLin('POST', '/api-keys', { name: 'ci' });
    const key = String(body.token);
    const first = call('deploy-web', key);
    await agent.answer('done\n');
    expect((await first).status).toBe(202);
    const executionId = String(((await (await first).json()) as { execution_id: string }).execution_id);
    const read = () =>
      fetch(`${world.hub.hubUrl}/executions/${executionId}`, { headers: { 'x-api-key': key } });
    expect((await read()).status).toBe(200);
    await setAccess('by_grants');
    expect((await call('deploy-web', key)).status).toBe(404);
    expect((await read()).status).toBe(404);
    const catalog = await fetch(`${world.hub.hubUrl}/v1/${world.start.username}`, {
      headers: { 'x-api-key': key },
    });
    expect(await slugsOf(readAnswer(catalog))).toEqual([]);
    const id = await grant(['tag:prod'], ['view']);
    expect((await read()).status).toBe(200);
    expect((await call('deploy-web', key)).status).toBe(404);
    await withdraw(id);
    const owner = world.call('deploy-web');
    await agent.answer('done\n');
    expect((await owner).status).toBe(200);
  });

  test('a pipeline needs each of its endpoints', async () => {
    await setAccess('by_grants');
    await makePipeline(world, {
      slug: 'release',
      trigger: { type: 'manual' },
      nodes: [
        { id: 'a', endpoint: 'deploy-web' },
        { id: 'b', endpoint: 'secret-report' },
      ],
    });
    const start = () => asLin('POST', '/pipeline-runs', { pipeline: 'release', input: {} });
    const one = await grant(['deploy-web'], ['run']);
    expect((await start()).status).toBe(404);
    expect(await slugsOf(asLin('GET', '/pipelines'))).toEqual([]);
    const other = await grant(['tag:finance'], ['view']);
    expect(await slugsOf(asLin('GET', '/pipelines'))).toEqual(['release']);
    expect((await start()).status).toBe(403);
    const { body } = await as('POST', '/pipeline-runs', { pipeline: 'release', input: {} });
    const runs = async () => ((await asLin('GET', '/pipeline-runs')).body as { items: object[] }).items;
    for (let steps = 0; steps < 2; steps += 1) await agent.answer('done\n');
    // The approval ends with the run, and only an ended run can run again.
    await (await world.manage(`/pipeline-runs/${body.run_id}/stream`)).text();
    expect(await runs()).toMatchObject([{ run_id: body.run_id }]);
    // A run that has called an endpoint stays hidden when the pipeline no longer does.
    const nodes = ['a', 'b'].map((node) => ({ id: node, endpoint: 'deploy-web' }));
    expect((await as('PATCH', '/pipelines/release', { nodes })).body).toMatchObject({ slug: 'release' });
    // The run again has the steps of its version.
    const again = await asLin('POST', `/pipeline-runs/${body.run_id}/rerun`, { from: ['b'] });
    expect([again.status, again.body.code]).toEqual([403, 'forbidden']);
    await withdraw(other);
    expect(await slugsOf(asLin('GET', '/pipelines'))).toEqual(['release']);
    expect((await asLin('GET', `/pipeline-runs/${body.run_id}`)).status).toBe(404);
    expect(await runs()).toEqual([]);
    await withdraw(one);
  });

  test('the page that allows an AI client shows no endpoint without view', async () => {
    await setAccess('by_grants');
    const id = await grant(['deploy-web'], ['run']);
    const client = await OAuthClient.register(world);
    const resource = `${world.hub.hubUrl}/mcp/${world.start.username}`;
    const { html } = await client.page(client.ask({ resource, scope: 'run:*' }), lin);
    expect(html).toContain('deploy-web');
    expect(html).not.toContain('secret-report');
    await withdraw(id);
  });

  test('an AI client, by its token and by a key, has the endpoints of the person at each call', async () => {
    await setAccess('all');
    const url = `${world.hub.hubUrl}/mcp/${world.start.username}`;
    const resource = { resource: url, scope: 'run:*' };
    const { access } = await (await OAuthClient.register(world)).connect(lin, {}, resource);
    const key = String((await asLin('POST', '/api-keys', { name: 'agent' })).body.token);
    const clients = [access, key].map((token) => ({ url, key: token }));
    const tools = async (client: RawAgent) => {
      const { result } = await rpc(client, 'tools/list');
      const all = (result?.tools ?? []) as { name: string }[];
      return all.map(({ name }) => name).filter((name) => !name.startsWith('svc_'));
    };
    for (const client of clients) {
      await setAccess('all');
      expect(await tools(client)).toContain('secret-report');
      await setAccess('by_grants');
      expect(await tools(client)).toEqual([]);
      const refused = await rpc(client, 'tools/call', { name: 'deploy-web', arguments: {} });
      expect(JSON.stringify(refused)).toContain('not_found');
      const id = await grant(['tag:prod'], ['run']);
      const granted = await tools(client);
      expect([granted.includes('deploy-web'), granted.includes('secret-report')]).toEqual([true, false]);
      const called = rpc(client, 'tools/call', { name: 'deploy-web', arguments: {} });
      await agent.answer('done\n');
      expect(JSON.stringify(await called)).toContain('done');
      await withdraw(id);
      expect(await tools(client)).toEqual([]);
    }
  });

  test('an approval is seen with view and decided with approve', async () => {
    await setAccess('by_grants');
    const pending = (await (await world.call('guarded')).json()) as { approval_id: string };
    const decide = () => asLin('POST', `/approvals/${pending.approval_id}/decide`, { decision: 'deny' });
    const listed = async () => ((await asLin('GET', '/approvals')).body as { items: object[] }).items;
    expect([(await decide()).status, await listed()]).toEqual([404, []]);
    const view = await grant(['guarded'], ['view', 'run']);
    expect(await listed()).toMatchObject([{ may_decide: 'not_approver' }]);
    expect(JSON.stringify(await listed())).not.toContain('approve_url');
    const shown = async () => (await asLin('GET', `/approvals/${pending.approval_id}`)).body;
    expect(await shown()).toMatchObject({ status: 'pending_approval' });
    expect(Object.keys(await shown())).not.toContain('approve_url');
    expect((await decide()).status).toBe(403);
    const approve = await grant(['guarded'], ['approve']);
    expect(await listed()).toMatchObject([{ may_decide: 'yes' }]);
    expect(Object.keys(await shown())).toContain('approve_url');
    expect((await decide()).status).toBe(200);
    await withdraw(view);
    await withdraw(approve);
  });

  test('who may run and not approve cannot approve by the link', async () => {
    const form = async (key: string) => {
      const pending = (await (await call('guarded', key)).json()) as {
        approve_url: string;
        approval_id: string;
      };
      const page = await (await fetch(pending.approve_url)).text();
      expect(
        (await as('POST', `/approvals/${pending.approval_id}/decide`, { decision: 'deny' })).status,
      ).toBe(200);
      return page;
    };
    await setAccess('all');
    expect(await form(world.start.apiKey)).toContain('value="approve"');
    const run = await grant(['guarded'], ['run']);
    expect(await form(world.start.apiKey)).not.toContain('value="approve"');
    await withdraw(run);
    const both = await grant(['guarded'], ['run', 'approve']);
    expect(await form(world.start.apiKey)).toContain('value="approve"');
    await setAccess('by_grants');
    expect(await form(world.start.apiKey)).not.toContain('value="approve"');
    await withdraw(both);
  });

  test('a stream ends when its grant is withdrawn', async () => {
    await setAccess('by_grants');
    const id = await grant(['deploy-web'], ['run']);
    const { body } = await asLin('POST', '/executions', { endpoint: 'deploy-web', args: {} });
    const { execution_id: executionId } = await agent.receive('run');
    expect(body.execution_id).toBe(executionId);
    const headers = { cookie: lin.cookie, 'x-svc-workspace': world.start.username };
    const stream = await fetch(`${world.hub.hubUrl}/executions/${executionId}/stream`, { headers });
    const tail = await fetch(`${world.hub.hubUrl}/tail`, { headers });
    expect([stream.status, tail.status]).toEqual([200, 200]);
    await withdraw(id);
    // Both bodies end, although the command runs on.
    expect(await stream.text()).not.toContain('exit_code');
    expect(await tail.text()).toContain('ready');
    agent.end(executionId, 0);
  });
});

describe('with access to all', () => {
  test('a grant adds to a role, and does not decide who may use the endpoint', async () => {
    await setAccess('all');
    expect((await as('PATCH', `/team/members/${linId}`, { role: 'viewer' })).status).toBe(200);
    lin = await signIn(world, 'lin@example.com');
    const start = () => asLin('POST', '/executions', { endpoint: 'deploy-web', args: {} });
    expect((await start()).status).toBe(403);
    const id = await grant(['deploy-web'], ['run', 'edit']);
    const started = start();
    await agent.answer('done\n');
    expect((await started).status).toBe(202);
    expect((await asLin('POST', '/executions', { endpoint: 'secret-report', args: {} })).status).toBe(403);
    expect((await asLin('GET', '/endpoints/secret-report')).status).toBe(200);
    expect((await asLin('POST', '/api-keys', { name: 'mine' })).status).toBe(403);
    const changed = await asLin('PATCH', '/endpoints/deploy-web', { description: 'by a grant' });
    expect([changed.status, changed.body.description]).toEqual([200, 'by a grant']);
    for (const fields of [{ tags: ['finance'] }, { public: true }, { slug: 'other' }])
      expect((await asLin('PATCH', '/endpoints/deploy-web', fields)).status).toBe(403);
    expect((await asLin('PATCH', '/endpoints/secret-report', { description: 'x' })).status).toBe(403);
    expect((await asLin('DELETE', '/endpoints/deploy-web')).status).toBe(403);
    const holders = await as('GET', '/endpoints/deploy-web/holders');
    expect(holders.body.items).toContainEqual({
      ...{ kind: 'member', id: linId, name: 'lin@example.com', role: 'viewer' },
      can: ['view', 'run', 'edit'],
    });
    await withdraw(id);
    expect((await start()).status).toBe(403);
  });

  test('who edits by a grant gets no secret and no machine, and removes no approval', async () => {
    await setAccess('all');
    await as('PUT', '/secrets/PROD_TOKEN', { value: 'abcdefgh' });
    const fields = { slug: 'own', command: 'echo a', approval_required: true };
    expect((await as('POST', '/endpoints', fields)).status).toBe(201);
    const id = await grant(['own'], ['edit']);
    const change = async (changes: object) => (await asLin('PATCH', '/endpoints/own', changes)).status;
    expect(await change({ command: 'echo b', approval_required: true })).toBe(200);
    for (const changes of [
      { command: 'echo $svc:PROD_TOKEN' },
      { approval_required: false },
      { approvers: ['lin@example.com'] },
      { allow_self: false },
      { agent_name: 'other' },
    ])
      expect([changes, await change(changes)]).toEqual([changes, 403]);
    await withdraw(id);
  });

  test('who edits by a grant starts nothing without a call, and opens no tool to AI agents', async () => {
    await setAccess('all');
    expect((await as('POST', '/endpoints', { slug: 'quiet', command: 'true', mcp: false })).status).toBe(201);
    const id = await grant(['quiet', 'deploy-web'], ['edit']);
    for (const slug of ['quiet', 'deploy-web'])
      for (const changes of [
        { schedule: '* * * * *' },
        { effects: 'read' },
        { idempotent: true },
        { mcp: slug === 'quiet' },
        { callback_url: 'https://sink.example/' },
      ]) {
        const { status, body } = await asLin('PATCH', `/endpoints/${slug}`, changes);
        expect([slug, changes, status, body.code]).toEqual([slug, changes, 403, 'forbidden']);
      }
    expect((await as('GET', '/schedules')).body.items).toEqual([]);
    expect((await asLin('PATCH', '/endpoints/quiet', { command: 'echo b', mcp: false })).status).toBe(200);
    await withdraw(id);
  });

  test('the key of a service account edits by a grant as a member does', async () => {
    // Only a session makes keys.
    const owner = await signIn(world, 'operator@localhost');
    const make = (path: string, body: object) =>
      owner.ask('POST', `/service-accounts${path}`, { body, workspace: world.start.username });
    const made = await make('', { name: 'editor', role: 'viewer' });
    const key = await make(`/${made.body.id}/keys`, { name: 'all' });
    expect([made.status, key.status]).toEqual([201, 201]);
    const wanted = {
      grantee_kind: 'service_account',
      grantee: made.body.id,
      endpoints: ['quiet'],
      can: ['edit'],
    };
    const granted = await as('POST', '/team/endpoint-grants', wanted);
    expect(granted.status).toBe(201);
    const change = async (body: object) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key.body.token}` };
      const init = { method: 'PATCH', headers, body: JSON.stringify(body) };
      return (await fetch(`${world.hub.hubUrl}/endpoints/quiet`, init)).status;
    };
    expect(await change({ schedule: '* * * * *' })).toBe(403);
    expect(await change({ description: 'by a key' })).toBe(200);
    await withdraw(String(granted.body.id));
  });

  test('a grant needs a grantee of the workspace and patterns', async () => {
    const make = (wanted: object) =>
      as('POST', '/team/endpoint-grants', {
        ...{ grantee_kind: 'member', grantee: linId, endpoints: ['x'], can: ['run'] },
        ...wanted,
      });
    for (const wanted of [
      { grantee: crypto.randomUUID() },
      { grantee_kind: 'service_account' },
      { endpoints: [] },
      { endpoints: ['a b'] },
      { can: [] },
      { can: ['delete'] },
    ])
      expect([wanted, (await make(wanted)).status]).toEqual([wanted, 400]);
  });

  test('who leaves loses the grants', async () => {
    await grant(['*'], ['run']);
    expect((await as('DELETE', `/team/members/${linId}`)).status).toBe(204);
    expect((await as('GET', '/team/endpoint-grants')).body.items).toEqual([]);
    const { items } = (await as('GET', '/audit?limit=100')).body as { items: { action: string }[] };
    const actions = items.map(({ action }) => action);
    expect(actions).toContain('endpoint_grant.made');
    expect(actions).toContain('endpoint_grant.deleted');
    expect(actions).toContain('workspace.endpoint_access_changed');
  });
});
