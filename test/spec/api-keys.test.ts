// API keys: reference 5, decisions 1, 25 and 47.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type ParsedAnswer, type Person, readAnswer, signIn } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { pollPause } from '../until.ts';

let world: HubWorld;
let owner: Person;
let agent: ScriptedAgent;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_FORWARD_CAP_S: '3600' } });
  owner = await signIn(world, 'operator@localhost');
  agent = await world.agent({ endpoints: ['one', 'two'].map((name) => ({ name, command: 'true' })) });
});
afterEach(async () => {
  await agent[Symbol.asyncDispose]();
  await world[Symbol.asyncDispose]();
});

interface Key {
  readonly id: string;
  readonly token: string;
  readonly last4: string;
}

const make = async (body: object, person = owner) =>
  (await person.ask('POST', '/api-keys', { body: { name: 'k', ...body } })).body as unknown as Key;
const listed = async (id: string, person = owner) =>
  ((await person.ask('GET', '/api-keys')).body.items as (Key & Record<string, unknown>)[]).find(
    (key) => key.id === id,
  );
const rotate = (id: string, body?: object, person = owner): Promise<ParsedAnswer> =>
  person.ask('POST', `/api-keys/${id}/rotate`, body === undefined ? {} : { body });

/** The status of a call with a token; what is let in is answered by the agent. */
async function call(token: string, slug = 'one'): Promise<number> {
  const called = fetch(world.urlOf(slug), { headers: { 'x-api-key': token, accept: 'application/json' } });
  void agent.answer('ok\n').catch(() => undefined);
  return (await called).status;
}

describe('a rotation', () => {
  test('gives another token at once; the one before works until the overlap is over, as the same key', async () => {
    const key = await make({ endpoints: ['one'] });
    const received = await rotate(key.id, { overlap_s: 60 });
    const rotated = received.body as unknown as Key;
    expect([received.status, rotated.id]).toEqual([200, key.id]);
    expect(rotated.token).toMatch(/^svc_sk_/);
    expect(rotated.token).not.toBe(key.token);
    expect(received.body).toMatchObject({
      endpoints: ['one'],
      last4: rotated.token.slice(-4),
      previous: { last4: key.last4, works_until: '2026-11-20T12:01:00.000Z' },
    });
    expect([await call(key.token), await call(rotated.token)]).toEqual([200, 200]);
    expect([await call(key.token, 'two'), await call(rotated.token, 'two')]).toEqual([404, 404]);
    const { items } = (await owner.ask('GET', '/executions')).body as { items: unknown[] };
    expect(items).toHaveLength(2);
    world.clock.move(59_999);
    expect(await call(key.token)).toBe(200);
    world.clock.move(1);
    expect([await call(key.token), await call(rotated.token)]).toEqual([401, 200]);
    expect(await listed(key.id)).toMatchObject({ previous: null });
  });

  test('without an overlap ends the token before at once; a second one ends the first', async () => {
    const key = await make({});
    expect(await call(key.token)).toBe(200);
    const second = (await rotate(key.id, { overlap_s: 0 })).body as unknown as Key;
    expect([await call(key.token), await call(second.token)]).toEqual([401, 200]);
    const third = (await rotate(key.id)).body as unknown as Key;
    expect([await call(second.token), await call(third.token)]).toEqual([200, 200]);
    const fourth = (await rotate(key.id)).body as unknown as Key;
    expect(await Promise.all([second, third, fourth].map(({ token }) => call(token)))).toEqual([
      401, 200, 200,
    ]);
  });

  test('does not outlive the key: not its expiry, not its revocation, not the one that came first', async () => {
    const soon = await make({ expires_at: '2026-11-20T12:00:30Z' });
    expect((await rotate(soon.id, { overlap_s: 3_600 })).status).toBe(200);
    world.clock.move(30_000);
    expect(await call(soon.token)).toBe(401);
    expect((await rotate(soon.id)).body.code).toBe('key_revoked');
    const key = await make({});
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => rotate(key.id)));
    expect(outcomes.map(({ status }) => status).filter((status) => status === 200).length).toBeGreaterThan(0);
    const newest = outcomes.filter(({ status }) => status === 200);
    const works = await Promise.all(newest.map(({ body }) => call(String(body.token))));
    expect(works.filter((status) => status === 200).length).toBeLessThanOrEqual(2);
    await owner.ask('DELETE', `/api-keys/${key.id}`);
    const after = await Promise.all(newest.map(({ body }) => call(String(body.token))));
    expect([await call(key.token), ...after]).toEqual([401, ...after.map(() => 401)]);
    expect((await rotate(key.id)).body.code).toBe('key_revoked');
  });

  test('is in the audit log, and its tokens are not', async () => {
    const key = await make({});
    const rotated = (await rotate(key.id)).body as unknown as Key;
    const { text, body } = await owner.ask('GET', '/audit');
    expect((body.items as object[])[0]).toMatchObject({
      action: 'api_key.rotated',
      target: { kind: 'api_key', id: key.id },
    });
    for (const { token } of [key, rotated]) expect(text).not.toContain(token);
  });
});

test('members see, rotate and revoke their own keys and no others', async () => {
  const lin = await signIn(world, 'lin@example.org');
  const workspace = world.start.username;
  await owner.ask('POST', '/team/invite', { body: { email: 'lin@example.org', role: 'member' } });
  const { items } = (await (await world.manage('/outbox')).json()) as { items: { text: string }[] };
  await lin.ask('POST', /http\S+join\S+/.exec(items[0]?.text ?? '')?.[0] ?? '');
  const [own, others] = [
    (await lin.ask('POST', '/api-keys', { body: { name: 'mine' }, workspace })).body as unknown as Key,
    await make({}),
  ];
  const seen = (await lin.ask('GET', '/api-keys', { workspace })).body.items as Key[];
  expect(seen.map(({ id }) => id)).toEqual([own.id]);
  const ask = (method: string, path: string) => lin.ask(method, path, { workspace });
  expect((await ask('POST', `/api-keys/${others.id}/rotate`)).status).toBe(404);
  expect((await ask('DELETE', `/api-keys/${others.id}`)).status).toBe(404);
  expect((await ask('POST', `/api-keys/${own.id}/rotate`)).status).toBe(200);
  // The owner sees the key, and would call in the name of its member with a token of it.
  expect(await rotate(own.id)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
  expect(await listed(own.id)).toMatchObject({ created_by: expect.any(String), revoked_at: null });
  expect((await ask('DELETE', `/api-keys/${own.id}`)).status).toBe(204);
  expect(await call(others.token)).toBe(200);
});

test('a revoked key ends its open streams, and those of other keys continue', async () => {
  const [key, other] = [await make({}), await make({})];
  const open = (token: string) =>
    fetch(world.urlOf('one'), { headers: { 'x-api-key': token, accept: 'text/event-stream' } });
  const streams = [open(key.token), open(other.token)];
  const runs = [await agent.receive('run'), await agent.receive('run')];
  for (const { execution_id: id } of runs) agent.output(id, 1, 'begun\n');
  await agent.untilTaken();
  const [revoked, kept] = await Promise.all(streams);
  expect((await owner.ask('DELETE', `/api-keys/${key.id}`)).status).toBe(204);
  const text = (await revoked?.text()) ?? '';
  expect(text).toContain('begun');
  expect(text).toContain('"type":"error"');
  expect(text).not.toContain('"type":"done"');
  for (const { execution_id: id } of runs) agent.end(id, 1);
  expect(await kept?.text()).toContain('"type":"done"');
});

test('when a key was used last is noted once an hour, and no call waits for it', async () => {
  const key = await make({});
  const lastUsed = async () => (await listed(key.id))?.last_used_at;
  expect(await lastUsed()).toBeNull();
  await call(key.token);
  const until = async (wanted: string) => {
    while ((await lastUsed()) !== wanted) await pollPause();
  };
  await until('2026-11-20T12:00:00.000Z');
  world.clock.move(3_599_999);
  for (let n = 0; n < 3; n += 1) await call(key.token);
  expect(await lastUsed()).toBe('2026-11-20T12:00:00.000Z');
  world.clock.move(1);
  await call(key.token);
  await until('2026-11-20T13:00:00.000Z');
});

describe('a service account', () => {
  interface Account {
    readonly id: string;
    readonly keys: readonly Key[];
  }
  const workspace = () => world.start.username;
  const made = async (body: object, person = owner) =>
    (await person.ask('POST', '/service-accounts', { body, workspace: workspace() }))
      .body as unknown as Account;
  const keyOf = async ({ id }: Account, body: object = {}, person = owner) =>
    (
      await person.ask('POST', `/service-accounts/${id}/keys`, {
        body: { name: 'GitHub', ...body },
        workspace: workspace(),
      })
    ).body as unknown as Key;
  const asProgram = async (token: string, path: string, init: RequestInit = {}) =>
    await readAnswer(
      await fetch(`${world.hub.hubUrl}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      }),
    );
  const newest = async () => {
    const { items } = (await owner.ask('GET', '/audit?limit=1')).body as { items: Record<string, unknown>[] };
    return items[0];
  };

  test('works on when the admin who made it has left, and acts as itself in the audit log', async () => {
    const lin = await new Approvals(world).member('lin@example.org');
    const { items } = (await owner.ask('GET', '/team/members')).body as {
      items: { id: string; email: string }[];
    };
    const { id: linId } = items.find(({ email }) => email === lin.email) ?? { id: '' };
    const forbidden = await lin.ask('POST', '/service-accounts', {
      body: { name: 'deployments', role: 'admin' },
      workspace: workspace(),
    });
    expect(forbidden.status).toBe(403);
    await owner.ask('PATCH', `/team/members/${linId}`, { body: { role: 'admin' } });
    const admin = await signIn(world, lin.email);
    const account = await made({ name: 'deployments', role: 'admin' }, admin);
    const key = await keyOf(account, {}, admin);
    const own = (await admin.ask('POST', '/api-keys', { body: { name: 'own' }, workspace: workspace() }))
      .body as unknown as Key;
    expect([await call(key.token), await call(own.token)]).toEqual([200, 200]);
    await owner.ask('DELETE', `/team/members/${linId}`);
    expect([await call(key.token), await call(own.token)]).toEqual([200, 401]);
    const created = await asProgram(key.token, '/endpoints', {
      method: 'POST',
      body: JSON.stringify({ slug: 'three', command: 'true' }),
    });
    expect(created.status).toBe(201);
    expect(await newest()).toMatchObject({
      action: 'endpoint.created',
      actor: { kind: 'service_account', id: account.id, name: 'deployments' },
    });
    // The keys of service accounts are not among those of members.
    expect(await listed(key.id)).toBeUndefined();
    expect((await owner.ask('DELETE', `/api-keys/${key.id}`)).status).toBe(404);
  });

  test('ends at once with all its keys and streams when it is disabled', async () => {
    const account = await made({ name: 'deployments', role: 'admin' });
    const key = await keyOf(account);
    const stream = fetch(world.urlOf('one'), {
      headers: { 'x-api-key': key.token, accept: 'text/event-stream' },
    });
    const { execution_id: id } = await agent.receive('run');
    agent.output(id, 1, 'begun\n');
    await agent.untilTaken();
    const open = await stream;
    expect((await owner.ask('DELETE', `/service-accounts/${account.id}`)).status).toBe(204);
    expect(await open.text()).toContain('"type":"error"');
    agent.end(id, 1);
    expect(await newest()).toMatchObject({
      action: 'service_account.disabled',
      target: { kind: 'service_account', id: account.id, name: 'deployments' },
    });
    expect([await call(key.token), (await asProgram(key.token, '/endpoints')).status]).toEqual([401, 401]);
    expect((await owner.ask('DELETE', `/service-accounts/${account.id}`)).status).toBe(404);
    const refused = await owner.ask('POST', `/service-accounts/${account.id}/keys`, { body: { name: 'k' } });
    expect(refused.status).toBe(404);
    const { items } = (await owner.ask('GET', '/service-accounts')).body as { items: object[] };
    expect(items).toMatchObject([{ id: account.id, disabled_at: '2026-11-20T12:00:00.000Z', keys: [] }]);
  });

  test('has keys that are revoked one by one, and whose limits hold', async () => {
    const account = await made({ name: 'deployments', role: 'admin' });
    const [whole, limited] = [await keyOf(account), await keyOf(account, { endpoints: ['one'] })];
    expect([await call(limited.token), await call(limited.token, 'two')]).toEqual([200, 404]);
    expect((await asProgram(limited.token, '/endpoints')).status).toBe(401);
    expect((await owner.ask('DELETE', `/service-account-keys/${whole.id}`)).status).toBe(204);
    expect([await call(whole.token), (await asProgram(whole.token, '/endpoints')).status]).toEqual([
      401, 401,
    ]);
    expect(await call(limited.token)).toBe(200);
    const viewer = await made({ name: 'reports', role: 'viewer' });
    const refused = await owner.ask('POST', `/service-accounts/${viewer.id}/keys`, {
      body: { name: 'k', endpoints: ['one'] },
    });
    expect(refused.body.code).toBe('invalid_argument');
    const reading = await keyOf(viewer);
    expect([await call(reading.token), (await asProgram(reading.token, '/endpoints')).status]).toEqual([
      404, 200,
    ]);
    const again = await owner.ask('POST', '/service-accounts', { body: { name: 'reports', role: 'viewer' } });
    expect(again.body.code).toBe('invalid_argument');
  });

  test('makes no credentials, and no token of a person makes it any', async () => {
    const account = await made({ name: 'deployments', role: 'admin' });
    const { token } = await keyOf(account);
    const post = (path: string, body: object) => ({
      path,
      init: { method: 'POST', body: JSON.stringify(body) },
    });
    for (const { path, init } of [
      post('/api-keys', { name: 'k' }),
      post('/tokens', {}),
      post('/agent-tokens', { name: 'k' }),
      post('/service-accounts', { name: 'k', role: 'admin' }),
      post(`/service-accounts/${account.id}/keys`, { name: 'k' }),
    ])
      expect([path, (await asProgram(token, path, init)).status]).toEqual([path, 401]);
    const { path, init } = post(`/service-accounts/${account.id}/keys`, { name: 'k' });
    expect((await asProgram(world.start.accessToken, path, init)).status).toBe(401);
  });

  test('does not let the person who made its key approve their own call', async () => {
    const asking = { name: 'guarded', command: 'true', approval_required: true, allow_self: false };
    await agent[Symbol.asyncDispose]();
    agent = await world.agent({ endpoints: [asking] });
    const { token } = await keyOf(await made({ name: 'deployments', role: 'member' }));
    const pending = (await (
      await fetch(world.urlOf('guarded'), { headers: { 'x-api-key': token } })
    ).json()) as {
      approval_id: string;
    };
    const decided = await owner.ask('POST', `/approvals/${pending.approval_id}/decide`, {
      body: { decision: 'approve' },
    });
    expect(decided.status).toBe(403);
    const shown = await owner.ask('GET', `/approvals/${pending.approval_id}`);
    expect(shown.text).toContain('of a service account');
  });
});
