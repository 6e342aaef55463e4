import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Approvals } from '../approvals.ts';
import { untilExists } from '../files.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type Person, signIn } from '../people.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { type AgentClientOptions, agentClient, textOf } from './agent-client.ts';
import { call, openStream, type RawAgent, rpc, sendLegacy, sessionOf } from './raw-agent.ts';

let world: HubWorld;
let agent: RealAgent;
let approvals: Approvals;
let folder: TemporaryFolder;
let lin: Person;

beforeEach(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  folder = await temporaryFolder();
  agent = await realAgent(world, [
    {
      name: 'deploy',
      command: `touch ${join(folder.path, 'ran-')}{{tag}}`,
      args: [{ name: 'tag', type: 'word', required: true }],
      approval_required: true,
    },
  ]);
  approvals = new Approvals(world);
  lin = await approvals.member('lin@example.com');
});

afterEach(async () => {
  await agent?.[Symbol.asyncDispose]();
  await world?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
});

const ran = (tag: string) => existsSync(join(folder.path, `ran-${tag}`));
const connect = (onUrl?: AgentClientOptions['onUrl'], era: 'modern' | 'legacy' = 'modern') =>
  agentClient({
    url: `${world.hub.hubUrl}/mcp`,
    key: world.start.apiKey,
    era,
    ...(onUrl === undefined ? {} : { onUrl }),
  });
const CALL = { name: 'deploy', arguments: { tag: 'v1' } };
const pendingId = async () => {
  const { items } = (await (await world.manage('/approvals?status=pending_approval')).json()) as {
    items: { approval_id: string }[];
  };
  return String(items[0]?.approval_id);
};

describe.each(['modern', 'legacy'] as const)('a client of the %s era without elicitation', (era) => {
  test('gets the link and the id, and the result after another member has approved', async () => {
    const client = await connect(undefined, era);
    const pending = await client.callTool(CALL);
    expect(pending.isError).toBe(false);
    expect(textOf(pending)).toContain(`Ask a person to open ${world.hub.hubUrl}/approve/`);
    expect(ran('v1')).toBe(false);
    const id = String(pending._meta?.['svc/execution-id']);
    const before = await client.callTool({ name: 'svc_status', arguments: { id } });
    expect(textOf(before)).toContain('pending_approval');
    const waiting = client.callTool({ name: 'svc_status', arguments: { id, wait_s: 50 } });
    expect((await approvals.decideAs(lin, await pendingId(), 'approve')).status).toBe(200);
    expect(textOf(await waiting)).toContain('Exit code 0');
    expect(ran('v1')).toBe(true);
    await client.close();
  });

  test('a denial is answered to the client, and nothing runs', async () => {
    const client = await connect(undefined, era);
    const pending = await client.callTool(CALL);
    await approvals.decideAs(lin, await pendingId(), 'deny');
    const id = String(pending._meta?.['svc/execution-id']);
    const after = await client.callTool({ name: 'svc_status', arguments: { id } });
    expect(after.isError).toBe(true);
    expect(textOf(after)).toContain('approval_denied');
    expect(ran('v1')).toBe(false);
    await client.close();
  });
});

describe.each(['modern', 'legacy'] as const)('a client of the %s era that can open URLs', (era) => {
  test('shows the page to its person and continues by itself: one call, one execution', async () => {
    const urls: string[] = [];
    const client = await connect(async (url) => {
      urls.push(url);
      await approvals.decideAs(lin, await pendingId(), 'approve');
      return 'accept';
    }, era);
    const result = await client.callTool(CALL);
    expect(textOf(result)).toContain('Exit code 0');
    expect(urls).toEqual([expect.stringContaining(`${world.hub.hubUrl}/approve/`)]);
    expect(ran('v1')).toBe(true);
    const { items } = (await (await world.manage('/executions?trigger=mcp')).json()) as { items: unknown[] };
    expect(items).toHaveLength(1);
    await client.close();
  });
});

test.each(['decline', 'cancel'] as const)(
  'a client of the legacy era that answers "%s" cancels its waiting call',
  async (answer) => {
    const client = await connect(async () => answer, 'legacy');
    const result = await client.callTool(CALL);
    expect(textOf(result)).toStartWith('No result (cancelled)');
    expect(ran('v1')).toBe(false);
    await client.close();
  },
);

test('a session and a question belong to one key, and are known at every hub', async () => {
  const mine = { url: `${world.hub.hubUrl}/mcp`, key: world.start.apiKey };
  const json = { 'content-type': 'application/json' };
  const made = await world.manage('/api-keys', { method: 'POST', headers: json, body: '{"name":"second"}' });
  const second = { ...mine, key: ((await made.json()) as { token: string }).token };
  const opensUrls = { elicitation: { url: {} } };
  const session = (await sessionOf(mine, opensUrls)) ?? expect.unreachable();
  const foreign = (await sessionOf(second, opensUrls)) ?? expect.unreachable();
  expect(await sessionOf(mine, {})).toBeNull();
  const forms = (await sessionOf(mine, { elicitation: {}, sampling: {} })) ?? expect.unreachable();
  const deploy = { id: 7, method: 'tools/call', params: CALL };
  const changed = `${session.slice(0, 60)}${session[60] === 'A' ? 'B' : 'A'}${session.slice(61)}`;
  for (const other of [undefined, changed, foreign, forms]) {
    const text = await (await sendLegacy(mine, deploy, other)).text();
    expect(text).toContain('Ask a person to open');
    expect(text).not.toContain('elicitation/create');
  }

  const stream = openStream(await sendLegacy(mine, deploy, session));
  const question = await stream.messageWith('elicitation/create');
  const { elicitationId: id, mode, url } = question.params as Record<string, string>;
  expect([mode, url]).toEqual(['url', expect.stringContaining('/approve/')]);
  const answer = async (agent: RawAgent, sealed: unknown, action: string) =>
    (await sendLegacy(agent, { id: sealed, result: { action, content: { approve: true } } }, session)).status;
  const state = async () => textOf((await call(mine, 'svc_status', { id })).result);
  expect(await answer(second, question.id, 'decline')).toBe(202);
  expect(await answer(mine, session, 'decline')).toBe(202);
  expect(await answer(mine, question.id, 'accept')).toBe(202);
  expect(await state()).toContain('pending_approval');
  // A client without progress gives up after 60 s.
  world.clock.move(50_000);
  expect(textOf((await stream.messageWith('"id":7')).result)).toContain('Ask a person to open');
  for (const method of ['GET', 'DELETE']) {
    const headers = { authorization: `Bearer ${mine.key}`, 'mcp-session-id': session };
    expect((await fetch(mine.url, { method, headers })).status).toBe(405);
  }
  await agent.through(() => world.restart());
  expect(await answer(mine, question.id, 'decline')).toBe(202);
  expect(await state()).toStartWith('No result (cancelled)');
  expect(await answer(mine, question.id, 'decline')).toBe(202);
  expect(ran('v1')).toBe(false);
});

test('a hub that dies between the question and the answer changes nothing: the call continues at the next one', async () => {
  const raw = {
    url: `${world.hub.hubUrl}/mcp`,
    key: world.start.apiKey,
    capabilities: { elicitation: { url: {} } },
  };
  const { result } = await call(raw, 'deploy', { tag: 'v1' });
  expect(result?.resultType).toBe('input_required');
  await agent.through(() => world.restart());
  await approvals.decideAs(lin, await pendingId(), 'approve');
  const again = await call(raw, 'deploy', { tag: 'v1' }, { requestState: result?.requestState });
  expect(textOf(again.result)).toContain('Exit code 0');
  expect(ran('v1')).toBe(true);
});

describe('the decision on a call of an agent', () => {
  const pendingPath = async () => {
    const client = await connect();
    const pending = await client.callTool(CALL);
    await client.close();
    const [, path = ''] = /(\/approve\/[\w-]+)/.exec(textOf(pending)) ?? [];
    return path;
  };

  test('is not made by the link alone; the page says who asked, and who decides', async () => {
    const path = await pendingPath();
    const { text } = await approvals.page(path);
    expect(text).toContain('an AI agent with key');
    expect(text).toContain('An AI agent asked for this. A member of the workspace decides');
    expect(text).not.toContain('Approve and run');
    const answer = await (await approvals.opened(path))('approve');
    expect(answer.status).toBe(403);
    expect(ran('v1')).toBe(false);
  });

  test('is made in a browser by the person whose key the agent has, and not with a token', async () => {
    const path = await pendingPath();
    const byToken = await approvals.decide(await pendingId(), 'approve');
    expect([byToken.status, byToken.body.details]).toEqual([403, { reason: 'needs_session' }]);
    expect(ran('v1')).toBe(false);
    const owner = await signIn(world, 'operator@localhost');
    const listed = await owner.ask('GET', '/approvals', { workspace: world.start.username });
    expect(listed.body.items).toEqual([expect.objectContaining({ may_decide: 'yes' })]);
    const decideOn = await approvals.opened(path, owner.cookie);
    expect((await decideOn('approve')).status).toBe(200);
    await untilExists(join(folder.path, 'ran-v1'));
  });

  test('is requested by mail from the person whose key the agent has, if the endpoint names them', async () => {
    await world.manage('/endpoints/deploy', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ approvers: ['owner'] }),
    });
    const path = await pendingPath();
    await approvals.until(async () => (await (await world.manage('/outbox')).text()).includes(path));
    const { items } = (await (await world.manage('/outbox')).json()) as {
      items: { to: string; text: string }[];
    };
    expect(items.filter(({ text }) => text.includes(path)).map(({ to }) => to)).toEqual([
      'operator@localhost',
    ]);
  });

  test('is not made by the person whose key the agent has if the endpoint says allow_self: false', async () => {
    await world.manage('/endpoints/deploy', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ allow_self: false }),
    });
    const path = await pendingPath();
    const owner = await signIn(world, 'operator@localhost');
    const { text } = await approvals.page(path, { headers: { cookie: owner.cookie } });
    expect(text).toContain('requires approval by another person');
    const answer = await (await approvals.opened(path, owner.cookie))('approve');
    expect([answer.status, ran('v1')]).toEqual([403, false]);
  });

  test('needs a member also when the agent calls /v1 with its key, and for calls that it made before', async () => {
    const before = await approvals.callForApproval('deploy?tag=v1', { method: 'POST' });
    await (await connect()).close();
    const after = await approvals.callForApproval('deploy?tag=v2', { method: 'POST' });
    for (const { path } of [before, after]) {
      expect((await approvals.page(path)).text).toContain('An AI agent asked for this.');
      expect((await (await approvals.opened(path))('approve')).status).toBe(403);
    }
    expect([ran('v1'), ran('v2')]).toEqual([false, false]);
    const owner = await signIn(world, 'operator@localhost');
    expect((await (await approvals.opened(after.path, owner.cookie))('approve')).status).toBe(200);
    await untilExists(join(folder.path, 'ran-v2'));
  });

  test('is never made with an access token that was used at /mcp, whoever called', async () => {
    const { accessToken } = world.start;
    const url = `${world.hub.hubUrl}/mcp`;
    const raw = { url, key: accessToken };
    expect(
      (await approvals.decide((await approvals.callForApproval('deploy?tag=v1')).approval_id, 'deny')).status,
    ).toBe(200);
    expect((await rpc(raw, 'tools/list')).status).toBe(200);
    const mine = await approvals.callForApproval('deploy?tag=v2', { headers: { 'x-api-key': accessToken } });
    expect((await (await approvals.opened(mine.path))('approve')).status).toBe(403);
    const others = await call({ url, key: world.start.apiKey }, 'deploy', { tag: 'v3' });
    const [otherId] = /[0-9a-f-]{36}/.exec(JSON.stringify(others.result?._meta)) ?? [];
    expect(otherId).toBeDefined();
    for (const id of [mine.approval_id, await pendingId()]) {
      const { status, body } = await approvals.decide(id, 'approve');
      expect([status, body.details]).toEqual([403, { reason: 'needs_session' }]);
    }
    // Keys that were made with the token count as the agent's, too.
    const json = { 'content-type': 'application/json' };
    const made = await world.manage('/api-keys', { method: 'POST', headers: json, body: '{"name":"fresh"}' });
    const { token: fresh } = (await made.json()) as { token: string };
    const laundered = await approvals.callForApproval('deploy?tag=v4', { headers: { 'x-api-key': fresh } });
    expect((await (await approvals.opened(laundered.path))('approve')).status).toBe(403);
    expect(['v1', 'v2', 'v3', 'v4'].filter(ran)).toEqual([]);
  });

  test('is made by another member on the page', async () => {
    const path = await pendingPath();
    const decideOn = await approvals.opened(path, lin.cookie);
    expect((await decideOn('approve')).status).toBe(200);
    await untilExists(join(folder.path, 'ran-v1'));
  });
});
