// The end of a workspace: decisions 3, 44, 46 and 48.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessBeside } from '../beside/beside.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type Person, signIn } from '../people.ts';
import { ScriptedAgent } from '../scripted-agent.ts';
import { until } from '../until.ts';

/** Several hubs need one store of files, and here each has a folder of its own. */
const alone = unlessBeside('the other hub may sweep, and has another folder of files');

let world: HubWorld;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_FORWARD_CAP_S: '3600' } });
});
afterEach(() => world[Symbol.asyncDispose]());

/** Somebody with a workspace of a username, a key and an agent. */
async function ownerOf(username: string) {
  const person = await signIn(world, `${username}@example.org`);
  await person.ask('PUT', '/workspace/username', { body: { username } });
  const made = async (path: string) =>
    String((await person.ask('POST', path, { body: { name: 'x' } })).body.token);
  const [key, token] = [await made('/api-keys'), await made('/agent-tokens')];
  const agent = await ScriptedAgent.connect({
    hubUrl: world.hub.hubUrl,
    token,
    endpoints: [{ name: 'job', command: 'true' }],
  });
  const call = (init: RequestInit = {}) =>
    fetch(`${world.hub.baseUrl}/v1/${username}/job`, {
      ...init,
      headers: { 'x-api-key': key, ...init.headers },
    });
  return { person, key, token, agent, call };
}

const erase = (person: Person, username: string | null) =>
  person.ask('POST', '/workspace/deletion', { body: { username } });

describe('a workspace', () => {
  test('is deleted by its owner alone, who types its username', async () => {
    const { person, agent } = await ownerOf('ada');
    await using _agent = agent;
    for (const wrong of ['Ada', 'local', '', null]) {
      const received = await erase(person, wrong);
      expect([wrong, received.status, received.body.details]).toMatchObject([
        wrong,
        400,
        { fields: [{ field: 'username' }] },
      ]);
    }
    expect((await person.ask('GET', '/workspace')).body.username).toBe('ada');
    expect((await erase(person, 'ada')).status).toBe(204);
  });

  test('takes what runs, streams, connections, keys and sessions along, at once', async () => {
    const { person, key, token, agent, call } = await ownerOf('ada');
    const stream = await call({ headers: { accept: 'text/event-stream' } });
    const { execution_id: id } = await agent.receive('run');
    const other = await signIn(world, 'ada@example.org');
    expect((await erase(person, 'ada')).status).toBe(204);
    // Before the agent says anything.
    expect(await stream.text()).toContain('no longer work');
    expect((await agent.receive('cancel')).execution_id).toBe(id);
    agent.end(id, 0, { kind: 'cancelled', duration_ms: 1 });
    expect(await agent.closed).toBe(4401);
    for (const session of [person, other]) expect((await session.ask('GET', '/workspace')).status).toBe(401);
    const asked = await Promise.all(
      [`/executions/${id}`, '/executions'].map((path) =>
        fetch(`${world.hub.baseUrl}${path}`, { headers: { 'x-api-key': key } }),
      ),
    );
    expect([(await call()).status, ...asked.map(({ status }) => status)]).toEqual([401, 401, 401]);
    const back = await ScriptedAgent.dial({ hubUrl: world.hub.hubUrl, token }).then(
      () => 'open',
      () => 'refused',
    );
    expect(back).toBe('refused');
    expect((await fetch(`${world.hub.hubUrl}/ada/badge.svg`)).status).toBe(404);
  });

  alone('takes the files of its executions along', async () => {
    const { person, token, agent, call } = await ownerOf('ada');
    const called = call({ headers: { accept: 'application/json' } });
    const { execution_id: id } = await agent.receive('run');
    const send = (method: string, path: string, body: string, type = 'application/json') =>
      fetch(`${world.hub.hubUrl}/agents/artifacts/${id}${path}`, {
        ...{ method, body },
        headers: { authorization: `Bearer ${token}`, 'content-type': type },
      });
    const found = { files: [{ name: 'app.txt', size: 5 }], missing: [] };
    expect((await send('POST', '', JSON.stringify(found))).status).toBe(200);
    expect((await send('PUT', '/1', 'hello', 'application/octet-stream')).status).toBe(200);
    const sha256 = new Bun.CryptoHasher('sha256').update('hello').digest('hex');
    expect((await send('POST', '/1', JSON.stringify({ sha256 }))).status).toBe(200);
    agent.end(id, 0);
    await called;
    const folder = join(world.dataDir, 'artifacts', id);
    expect(await readdir(folder)).toEqual(['1']);
    expect((await erase(person, 'ada')).status).toBe(204);
    await until(async () => !existsSync(folder));
  });

  test('does not wait for ever for an agent that does not end what it runs', async () => {
    const { person, agent, call } = await ownerOf('ada');
    const called = call({ headers: { accept: 'application/json' } });
    await agent.receive('run');
    expect((await erase(person, 'ada')).status).toBe(204);
    await agent.receive('cancel');
    world.clock.move(10_000);
    expect(await agent.closed).toBe(4401);
    expect([(await called).status, world.hub.running()]).toEqual([401, 0]);
  });

  test('leaves its username taken, and its owner starts with a new one', async () => {
    const { person, agent } = await ownerOf('ada');
    await erase(person, 'ada');
    await agent.closed;
    const again = await signIn(world, 'ada@example.org');
    const { body } = await again.ask('GET', '/workspace');
    expect(body).toMatchObject({ username: null, role: 'owner', email: 'ada@example.org' });
    const choose = (username: string) => again.ask('PUT', '/workspace/username', { body: { username } });
    expect((await choose('ada')).body.code).toBe('username_taken');
    expect((await choose('ada-2')).status).toBe(200);
    expect((await person.ask('GET', '/workspace')).status).toBe(401);
    expect((await again.ask('GET', '/endpoints')).body.items).toEqual([]);
    expect((await again.ask('GET', '/api-keys')).body.items).toEqual([]);
  });

  test('without a username is deleted, too', async () => {
    const person = await signIn(world, 'eve@example.org');
    expect((await erase(person, 'eve')).status).toBe(400);
    expect((await erase(person, null)).status).toBe(204);
    expect((await person.ask('GET', '/workspace')).status).toBe(401);
  });

  test("is gone from the other members' lists; their own workspaces stay", async () => {
    const { person, agent } = await ownerOf('ada');
    await using _agent = agent;
    const lin = await signIn(world, 'lin@example.org');
    await person.ask('POST', '/team/invite', { body: { email: 'lin@example.org', role: 'member' } });
    const { items } = (await (await world.manage('/outbox')).json()) as { items: { text: string }[] };
    const link = /http\S+join\S+/.exec(items[0]?.text ?? '')?.[0] ?? '';
    expect((await lin.ask('POST', link)).status).toBe(200);
    const workspaces = async () =>
      ((await lin.ask('GET', '/workspaces')).body.items as { role: string }[]).map(({ role }) => role).sort();
    expect(await workspaces()).toEqual(['member', 'owner']);
    await erase(person, 'ada');
    expect(await workspaces()).toEqual(['owner']);
    expect((await lin.ask('GET', '/endpoints', { workspace: 'ada' })).status).toBe(403);
    expect((await lin.ask('GET', '/endpoints')).status).toBe(200);
  });

  test('of `svc up` is made again at the next start, under another name', async () => {
    const { accessToken, username, apiKey } = world.start;
    const deleted = await world.manage('/workspace/deletion', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ username }),
    });
    expect(deleted.status).toBe(204);
    const next = await world.hub.firstRun();
    expect([username, next.username]).toEqual(['local', 'local-2']);
    expect(next.apiKey).not.toBe(apiKey);
  });
});

test('a hub that stops in the middle of it reports no bug of it', async () => {
  const { person, agent } = await ownerOf('ada');
  await erase(person, 'ada');
  await agent.closed;
  await world.restart();
  expect(world.logLines.filter((line) => line.includes('delete-workspace'))).toEqual([]);
});

test('the metrics and health of the hub still work after it', async () => {
  const { person, agent } = await ownerOf('ada');
  await erase(person, 'ada');
  await agent.closed;
  await until(async () => (await fetch(`${world.hub.hubUrl}/health`)).status === 200);
  expect(world.logLines.filter((line) => line.includes('internal error'))).toEqual([]);
});
