// A workspace that demands a second factor of its members (decision 100, second factor).
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { OAuthClient } from '../mcp/oauth-client.ts';
import { addPasskey } from '../passkeys.ts';
import { type ParsedAnswer, type Person, readAnswer, signIn } from '../people.ts';
import { runSvc } from '../program.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { switchOn, userIdOf } from '../second-factor.ts';

const RULE = '/team/second-factor';

let world: HubWorld;
let agent: ScriptedAgent;
let answers: Promise<void>;
let owner: Person;
let lin: Person;

beforeEach(async () => {
  world = await hubWorld({ env: { SVC_HOST: 'localhost', SVC_RATE_LIMITS: 'off', SVC_MCP_DCR: 'on' } });
  agent = await world.agent({
    endpoints: [
      { name: 'job', command: 'true' },
      { name: 'open', command: 'true', public: true },
      { name: 'slow', command: 'true' },
    ],
  });
  answers = answerAll();
  owner = await signIn(world, 'operator@localhost');
  lin = await new Approvals(world).member('lin@example.com');
});
afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  await answers;
  await world[Symbol.asyncDispose]();
});

const workspace = () => world.start.username;
const demand = (required = true, person = owner): Promise<ParsedAnswer> =>
  person.ask('PUT', RULE, { body: { required }, workspace: workspace() });
async function withFactor(person: Person, userId?: string): Promise<string[]> {
  const key = new SoftwareAuthenticator();
  await addPasskey(world, person, key);
  return await switchOn(world, person, key, userId);
}
const refusedFor = (answer: ParsedAnswer) => [answer.status, answer.body.code];
const LACKING = [403, 'second_factor_required'];

/** The credentials of a member without a second factor: a session, an access token, an API key, an AI client and a service account. */
async function credentialsOfLin() {
  const token = (await lin.ask('POST', '/tokens', { workspace: workspace() })).body.access_token as string;
  const made = await lin.ask('POST', '/api-keys', { body: { name: 'laptop' }, workspace: workspace() });
  const { access } = await (await OAuthClient.register(world)).connect(lin);
  const account = await owner.ask('POST', '/service-accounts', { body: { name: 'ci', role: 'member' } });
  const ofProgram = await owner.ask('POST', `/service-accounts/${account.body.id}/keys`, {
    body: { name: 'k' },
  });
  return { token, key: made.body.token as string, access, program: ofProgram.body.token as string };
}

async function callWith(token: string, slug = 'job'): Promise<ParsedAnswer> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  return readAnswer(await fetch(world.urlOf(slug), { headers }));
}

/** Ends every execution at once, except those of `slow`, until the agent leaves. */
async function answerAll(): Promise<void> {
  for (;;) {
    const order = await agent.receive('run', ({ endpoint }) => endpoint !== 'slow').catch(() => undefined);
    if (order === undefined) return;
    agent.end(order.execution_id, 0);
  }
}

const toolsWith = async (token: string) =>
  readAnswer(
    await fetch(`${world.hub.hubUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    }),
  );

describe('the demand', () => {
  test('is made by owner and admins who have a second factor themselves, in a session', async () => {
    const admin = await new Approvals(world).member('ada@example.com', 'admin');
    const bare = await demand();
    expect([bare.status, bare.body.details]).toEqual([403, { reason: 'no_second_factor' }]);
    await withFactor(admin);
    const locking = await demand(true, admin);
    expect([locking.status, locking.body.details]).toEqual([403, { reason: 'owner_without' }]);
    expect((await owner.ask('GET', RULE)).body).toEqual({ required: false, without: 2 });
    await withFactor(owner);
    expect((await demand(true, lin)).status).toBe(403);
    const byToken = await world.manage(RULE, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ required: true }),
    });
    expect(byToken.status).toBe(401);
    const demanded = await demand(true, admin);
    expect([demanded.status, demanded.body]).toEqual([200, { required: true, without: 1 }]);
    expect((await demand()).status).toBe(200);
    const { items } = (await owner.ask('GET', '/audit?action=workspace.second_factor_changed')).body as {
      items: { details: object; actor: { name: string } }[];
    };
    expect(items.map(({ details, actor }) => [actor.name, details])).toEqual([
      ['ada@example.com', { required: true }],
    ]);
  });

  test('stays closed to an owner whose factor the operator has reset, until it is on again', async () => {
    await withFactor(owner);
    await demand();
    // Until then their own workspace refuses them.
    const ownerId = await userIdOf(owner);
    await world.admin((it) => it.resetSecondFactor(owner.email));
    // Ids of one millisecond are in order only where one clock makes them all; the operator has another one.
    world.clock.move(1_000);
    expect((await owner.ask('GET', '/endpoints')).status).toBe(401);
    const again = await signIn(world, owner.email);
    expect(refusedFor(await again.ask('GET', '/endpoints'))).toEqual(LACKING);
    expect((await again.ask('GET', '/workspace')).body.second_factor_missing).toBe(true);
    await withFactor(again, ownerId);
    expect((await again.ask('GET', '/endpoints')).status).toBe(200);
  });

  test('keeps the owner from switching their factor off, until it has ended', async () => {
    const [code = '', next = ''] = await withFactor(owner);
    await demand();
    const off = (recovery_code: string) =>
      owner.ask('POST', '/auth/second-factor/off', { body: { recovery_code } });
    const refused = await off(code);
    expect([refused.status, refused.body.details]).toEqual([403, { reason: 'demanded' }]);
    // The code was not used up.
    expect((await owner.ask('GET', '/auth/second-factor')).body.recovery_codes_left).toBe(10);
    expect((await demand(false)).status).toBe(200);
    expect((await off(next)).status).toBe(204);
  });
});

describe('a member without a second factor', () => {
  test('does nothing in the workspace, with any credential, until they switch it on', async () => {
    const { token, key, access, program } = await credentialsOfLin();
    await withFactor(owner);
    for (const one of [token, key]) expect((await callWith(one)).status).toBe(200);
    expect((await toolsWith(access)).status).toBe(200);
    expect((await demand()).status).toBe(200);

    const there = { workspace: workspace() };
    for (const path of ['/endpoints', '/team/members', '/executions', '/approvals'])
      expect([path, ...refusedFor(await lin.ask('GET', path, there))]).toEqual([path, ...LACKING]);
    for (const one of [token, key]) expect(refusedFor(await callWith(one))).toEqual(LACKING);
    expect(refusedFor(await toolsWith(access))).toEqual(LACKING);
    for (const path of ['/endpoints', '/executions']) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await readAnswer(await fetch(`${world.hub.hubUrl}${path}`, { headers }));
      expect([path, ...refusedFor(answer)]).toEqual([path, ...LACKING]);
    }
    expect(refusedFor(await lin.ask('POST', '/tokens', there))).toEqual(LACKING);
    const message = (await callWith(key)).body.error;
    expect(message).toContain(`switch it on at ${world.hub.hubUrl}/dashboard/settings`);

    // Public endpoints, service accounts, agents, and the other workspaces and the account of the person still work.
    expect((await callWith(key, 'open')).status).toBe(200);
    expect((await callWith(program)).status).toBe(200);
    expect((await lin.ask('GET', '/endpoints')).status).toBe(200);
    const shown = await lin.ask('GET', '/workspace', there);
    expect([shown.status, shown.body.second_factor_missing]).toEqual([200, true]);

    await withFactor(lin);
    expect((await lin.ask('GET', '/endpoints', there)).status).toBe(200);
    for (const one of [token, key]) expect((await callWith(one)).status).toBe(200);
    expect((await toolsWith(access)).status).toBe(200);
    expect((await lin.ask('GET', '/workspace', there)).body.second_factor_missing).toBe(false);
  });

  test('reads in a terminal what to do, and where', async () => {
    const { token } = await credentialsOfLin();
    await withFactor(owner);
    await demand();
    const env = { SVC_BASE_URL: world.hub.baseUrl, SVC_ACCESS_TOKEN: token };
    const { exitCode, stderr } = await runSvc(['keys', 'list'], { cwd: world.dataDir, env });
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('demands a second factor of its members'),
    ]);
    expect(stderr).toContain(`open ${world.hub.hubUrl}/dashboard/settings`);
  });

  test('is shown to owner and admins only', async () => {
    await withFactor(owner);
    const shown = async (person: Person) => {
      const { body } = await person.ask('GET', '/team/members', { workspace: workspace() });
      const { items, owner: boss } = body as {
        items: { second_factor: boolean | null }[];
        owner: { second_factor: boolean | null };
      };
      return [boss.second_factor, ...items.map((one) => one.second_factor)];
    };
    expect(await shown(owner)).toEqual([true, false]);
    expect(await shown(lin)).toEqual([null, null]);
  });

  test('hears the end of a stream that was open when the demand came, and their execution goes on', async () => {
    const { key } = await credentialsOfLin();
    await withFactor(owner);
    const call = fetch(world.urlOf('slow'), {
      headers: { 'x-api-key': key, accept: 'text/event-stream' },
    });
    const { execution_id: id } = await agent.receive('run', ({ endpoint }) => endpoint === 'slow');
    agent.output(id, 1, 'still allowed\n');
    const text = (await call).text();
    await demand();
    expect(await text).toContain('no longer work');
    agent.end(id, 1);
  });

  test('approves no program and no AI client for the workspace', async () => {
    await withFactor(owner);
    await demand();
    const asked = (await OAuthClient.register(world)).ask();
    const { html } = await (await OAuthClient.register(world)).page(asked, lin);
    expect(html).not.toContain(`value="${workspace()}"`);
    const begun = await lin.ask('POST', '/auth/device', { body: {} });
    const page = await lin.ask('GET', `/device?user_code=${begun.body.user_code}`);
    expect(page.text).not.toContain(workspace());
  });
});
