// An agent token is for one agent, and an agent process belongs to the token that it came with: decision 58, agent tokens
// and secret grants.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { connect, type Owner, ownerOf, refusalOf } from '../token-world.ts';

const ENDPOINTS = [{ name: 'job', command: 'true' }];
const ASYNC = { headers: { prefer: 'respond-async' } };

let world: HubWorld;
let owner: Owner;
beforeEach(async () => {
  world = await hubWorld();
  owner = ownerOf(world);
});
afterEach(() => world[Symbol.asyncDispose]());

const execution = (id: string) => owner.ask('GET', `/executions/${id}`);

describe('an agent token', () => {
  test('is bound to the name of its first hello, and another name is refused in one sentence and audited', async () => {
    const { id, token } = await owner.makeToken({ name: 'build server' });
    await using _agent = await connect(world, token, { endpoints: [], name: 'build-1' });
    expect(await refusalOf(world, token, { name: 'other' })).toBe(
      'this agent token is for the agent "build-1" only, not for "other": choose that name with --name, or make a token for "other"',
    );
    expect(await refusalOf(world, token, { name: 'build-1' })).toBeUndefined();
    const { items } = await owner.ask('GET', '/agent-tokens');
    expect(items).toContainEqual(
      expect.objectContaining({
        id,
        agent_name: 'build-1',
        agent_names: ['build-1'],
        bound_at: expect.any(String),
      }),
    );
    expect(await owner.audited('agent_token.bound')).toMatchObject([
      { details: { agent_name: 'build-1' }, target: { id, name: 'build server' } },
    ]);
    const [refused, ...more] = await owner.audited('agent_token.name_refused');
    expect(refused).toMatchObject({
      details: { agent_name: 'other', agent_names: ['build-1'] },
      target: { id },
    });
    expect(JSON.stringify(refused)).toContain('127.0.0.1');
    expect(more).toEqual([]);
  });

  test('that keeps trying another name cannot fill the audit log', async () => {
    const { token } = await owner.makeToken({ agent_name: 'build-1' });
    for (let n = 0; n < 3; n += 1) await refusalOf(world, token, { name: 'other' });
    expect(await owner.audited('agent_token.name_refused')).toHaveLength(1);
    for (let n = 0; n < 40; n += 1) await refusalOf(world, token, { name: `other-${n}` });
    expect((await owner.audited('agent_token.name_refused')).length).toBeLessThanOrEqual(20);
  });

  test('of two first hellos at the same moment one binds it', async () => {
    for (let n = 0; n < 5; n += 1) {
      const { token } = await owner.makeToken();
      const names = ['a', 'b', 'c', 'd'].map((name) => `${name}-${n}`);
      const received = await Promise.all(names.map((name) => refusalOf(world, token, { name })));
      expect(received.filter((refusal) => refusal === undefined)).toHaveLength(1);
    }
  });

  test('of two tokens with the same name at the same moment one has it', async () => {
    for (let n = 0; n < 5; n += 1) {
      const tokens = await Promise.all([owner.makeToken(), owner.makeToken(), owner.makeToken()]);
      const received = await Promise.all(
        tokens.map(({ token }) => refusalOf(world, token, { name: `one-${n}` })),
      );
      expect(received.filter((refusal) => refusal === undefined)).toHaveLength(1);
      expect(received).toContain(
        `"one-${n}" belongs to another agent token: choose another name with --name`,
      );
    }
  });

  describe('that is made by enrolment', () => {
    const enrol = (token: string) => {
      const body = JSON.stringify({ token });
      const headers = { 'content-type': 'application/json' };
      return fetch(`${world.hub.hubUrl}/agent-enrolments`, { method: 'POST', headers, body });
    };
    const statusOf = async (token: string) => (await enrol(token)).status;

    test('is exchanged once, and only the agent token connects', async () => {
      const { id, token, ...made } = await owner.makeToken({ name: 'build server', enrolment: true });
      expect(token).toMatch(/^svc_et_/);
      expect((made as { connect_command?: string }).connect_command).toBe(
        `echo ${token} | sudo svc agent install --base-url ${world.hub.hubUrl} --name "$(uname -n)" --token-file -`,
      );
      const refused = await connect(world, token, { endpoints: [] }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(Error);
      const answers = await Promise.all([enrol(token), enrol(token), enrol(token)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
      const good = answers.find(({ status }) => status === 200);
      const { token: agentToken } = ((await good?.json()) ?? {}) as { token: string };
      expect(agentToken).toMatch(/^svc_at_/);
      await using _agent = await connect(world, agentToken, { endpoints: [], name: 'build-1' });
      const { items } = await owner.ask('GET', '/agent-tokens');
      expect(items).toContainEqual(
        expect.objectContaining({
          id,
          last4: agentToken.slice(-4),
          agent_name: 'build-1',
          enrol_until: null,
        }),
      );
      expect(await owner.audited('agent_token.enrolled')).toMatchObject([
        { target: { id, name: 'build server' }, from: { address: '127.0.0.1' } },
      ]);
      expect(await statusOf(agentToken)).toBe(401);
    });

    test('is not exchanged after 15 minutes, after its revocation, or when it is another token', async () => {
      const revoked = await owner.makeToken({ enrolment: true });
      await owner.ask('DELETE', `/agent-tokens/${revoked.id}`);
      const [late, inTime] = [
        await owner.makeToken({ enrolment: true }),
        await owner.makeToken({ enrolment: true }),
      ];
      world.clock.move(15 * 60_000 - 1);
      expect(await statusOf(inTime.token)).toBe(200);
      world.clock.move(1);
      const { token: agentToken } = await owner.makeToken();
      for (const token of [revoked.token, late.token, agentToken, world.start.apiKey, 'svc_et_', ''])
        expect(await (await enrol(token)).json()).toMatchObject({
          error: 'this enrolment token is unknown, was used or has expired',
          code: 'unauthorized',
        });
      expect(await owner.audited('agent_token.enrolled')).toHaveLength(1);
    });

    test('is not guessed: an address has sixty attempts a minute, which are not those of signing in', async () => {
      const statuses = [];
      for (let n = 0; n < 61; n += 1) statuses.push(await statusOf('svc_et_x'));
      expect([statuses.slice(0, 60), statuses[60]]).toEqual([new Array(60).fill(401), 429]);
      const body = JSON.stringify({ token: 'x' });
      const headers = { 'content-type': 'application/json' };
      const signIn = await fetch(`${world.hub.hubUrl}/auth/token`, { method: 'POST', headers, body });
      expect(signIn.status).toBe(404);
    });
  });

  test('that was made for several names works under all of them', async () => {
    const { token } = await owner.makeToken({ agent_names: ['a', 'b'] });
    expect(await refusalOf(world, token, { name: 'a' })).toBeUndefined();
    expect(await refusalOf(world, token, { name: 'b' })).toBeUndefined();
    expect(await refusalOf(world, token, { name: 'c' })).toContain('is for the agents "a", "b" only');
    const { token: another } = await owner.makeToken();
    expect(await refusalOf(world, another, { name: 'b' })).toContain('belongs to another agent token');
  });

  test.each([
    [{ agent_names: [] }, '1 to 100 names'],
    [{ agent_names: ['a', 'a'] }, 'each name once'],
    [{ agent_names: ['hosted'] }, 'another name than that of the hosted runner'],
    [{ agent_name: 'a', agent_names: ['b'] }, 'only one of agent_name and agent_names'],
    [{ pool: 'yes' }, 'true or false'],
  ])('cannot be made with %p', async (body, message) => {
    const refused = await owner.ask('POST', '/agent-tokens', { name: 'x', ...body });
    expect(refused).toMatchObject({ http: 400, error: expect.stringContaining(message) });
  });
});

describe('a process of an agent belongs to its token:', () => {
  const INSTANCE = crypto.randomUUID();

  /** A running execution of the real agent, and a second token that a member made for the same name. */
  async function running() {
    const { id: tokenId, token } = await owner.makeToken({ agent_name: 'build-1' });
    const stolen = await owner.makeToken({ agent_name: 'build-1' });
    const real = await connect(world, token, { endpoints: ENDPOINTS, name: 'build-1', instance: INSTANCE });
    const { execution_id: id } = (await owner.called('job', ASYNC)) as { execution_id: string };
    await real.receive('run');
    real.output(id, 1, 'real\n');
    await real.receive('ack');
    return { id, real, tokenId, token, stolen: stolen.token };
  }
  const claiming = (id: string) => ({
    ...{ endpoints: ENDPOINTS, name: 'build-1', instance: INSTANCE },
    inFlight: [{ execution_id: id, last_seq: 1, ended: false }],
  });

  test('another token cannot take it over, nor forge, acknowledge or end what it runs', async () => {
    const { id, real, stolen } = await running();
    await using thief = await connect(world, stolen, claiming(id));
    expect(thief.welcome).toMatchObject({ resume: [], unknown: [id] });
    thief.output(id, 2, 'forged\n');
    thief.end(id, 2, { kind: 'exited', exit_code: 7, duration_ms: 1 });
    await thief.untilTaken();
    // The real one stays connected.
    real.output(id, 2, 'more\n');
    real.end(id, 2);
    await real.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'succeeded', output: 'real\nmore\n', exit_code: 0 });
  });

  test('nor while the real one is away, nor after a start of the hub', async () => {
    const { id, real, token, stolen } = await running();
    await real.vanish();
    const first = await connect(world, stolen, claiming(id));
    expect(first.welcome).toMatchObject({ resume: [], unknown: [id] });
    first.end(id, 1);
    await first.untilTaken();
    await world.restart();
    await using second = await connect(world, stolen, claiming(id));
    expect(second.welcome).toMatchObject({ resume: [], unknown: [id] });
    second.end(id, 1);
    await second.untilTaken();
    expect(await execution(id)).toMatchObject({ status: 'running' });
    await using back = await connect(world, token, claiming(id));
    expect(back.welcome).toMatchObject({ resume: [{ execution_id: id, stored_seq: 1 }], unknown: [] });
    back.end(id, 1);
    await back.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'succeeded' });
  });

  test('a token that replaces another is accepted with the same state folder, and the executions of the old one are lost', async () => {
    const { id, real, tokenId, stolen: next } = await running();
    await owner.ask('DELETE', `/agent-tokens/${tokenId}`);
    expect(await real.closed).toBe(4401);
    await using back = await connect(world, next, claiming(id));
    expect(back.welcome).toMatchObject({ resume: [], unknown: [id] });
    expect(await execution(id)).toMatchObject({ status: 'running' });
    world.clock.move(120_000);
    await world.manage(`/executions/${id}/stream`).then((stream) => stream.text());
    expect(await execution(id)).toMatchObject({
      status: 'lost',
      error: expect.stringContaining('away for more than 120 s'),
    });
    const call = owner.called('job');
    await back.answer('from now on\n');
    expect(await call).toMatchObject({ http: 200, output: 'from now on\n' });
  });

  test('another token cannot end what it runs by a hello that claims to replace it', async () => {
    const { id, real, token, stolen } = await running();
    await real.vanish();
    const renewed = { replaces: INSTANCE, at_ms: 1, reason: 'a thief says so' };
    const thief = { endpoints: ENDPOINTS, name: 'build-1', journal: { seq: 1, renewed } };
    await using _thief = await connect(world, stolen, thief);
    expect(await execution(id)).toMatchObject({ status: 'running' });
    await using back = await connect(world, token, claiming(id));
    expect(back.welcome).toMatchObject({ resume: [{ execution_id: id, stored_seq: 1 }], unknown: [] });
    back.end(id, 1);
    await back.receive('ended_ack');
    expect(await execution(id)).toMatchObject({ status: 'succeeded' });
  });

  test('its own token ends what it ran when its journal is damaged', async () => {
    const { id, real, token } = await running();
    await real.vanish();
    const renewed = { replaces: INSTANCE, at_ms: 1, reason: 'line 2 is damaged' };
    const again = { endpoints: ENDPOINTS, name: 'build-1', journal: { seq: 1, renewed } };
    await using _again = await connect(world, token, again);
    await world.manage(`/executions/${id}/stream`).then((stream) => stream.text());
    expect(await execution(id)).toMatchObject({ status: 'lost', error: expect.stringContaining('damaged') });
  });

  test('members are shown no instance, in lists, records and the audit log', async () => {
    const { id, real, token } = await running();
    await refusalOf(world, token, { name: 'other', instance: INSTANCE });
    const paths = [
      '/agents',
      '/agents?limit=1',
      '/executions',
      `/executions/${id}`,
      '/audit',
      '/audit/export',
    ];
    for (const path of [...paths, '/endpoints', '/secret-grants', '/agent-tokens', '/alerts'])
      expect(await (await world.manage(path)).text()).not.toContain(INSTANCE);
    const stream = await world.manage('/events');
    const reader = stream.body?.getReader();
    await real.vanish();
    let received = '';
    while (!received.includes('build-1')) received += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    expect(received).toContain('build-1');
    expect(received).not.toContain(INSTANCE);
  });
});
