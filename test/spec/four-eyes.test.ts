import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { hashOf } from '@svc/agent/link/definitions';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { readAnswer } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const HELD = { name: 'deploy', command: 'true', approval_required: true, allow_self: false, timeout: 10 };
const PLAIN = { name: 'plain', command: 'true', timeout: 10, accepts_env: ['COLOUR'] };

let world: HubWorld;
let agent: ScriptedAgent;
beforeEach(async () => {
  world = await hubWorld({ env: { SVC_RATE_LIMITS: 'off' } });
  agent = await world.agent({ endpoints: [HELD, PLAIN] });
});
afterEach(() => world[Symbol.asyncDispose]());

async function ask(method: string, path: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  return await readAnswer(await world.manage(path, { method, headers, body: JSON.stringify(body) }));
}

const pipeline = (trigger: object, step: object) =>
  ask('POST', '/pipelines', { slug: 'p', trigger, nodes: [step] });

describe('where another person than the caller has to decide', () => {
  test('a pipeline is begun by no public and by no signed call', async () => {
    const step = { id: 'a', endpoint: 'deploy' };
    for (const trigger of [
      { type: 'manual', public: true },
      { type: 'webhook', public: true },
      { type: 'webhook', secret: 'x'.repeat(32) },
    ]) {
      const refused = await pipeline(trigger, step);
      expect([refused.status, refused.body]).toMatchObject([
        400,
        {
          details: {
            fields: [{ field: 'nodes.0.endpoint', message: expect.stringContaining('no known caller') }],
          },
        },
      ]);
    }
    expect((await pipeline({ type: 'webhook' }, step)).status).toBe(201);
  });

  test('a public pipeline that was saved before is called with a key, or answers 401', async () => {
    expect((await pipeline({ type: 'manual', public: true }, { id: 'a', endpoint: 'plain' })).status).toBe(
      201,
    );
    await ask('PATCH', '/endpoints/plain', { approval_required: true, allow_self: false });
    const url = `${world.hub.baseUrl}/v1/${world.start.username}/p`;
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    const called = await world.call('p', { method: 'POST', headers: { prefer: 'respond-async' } });
    expect(called.status).toBe(202);
  });

  test('an agent of an earlier version has its endpoint without its public URL and its schedule, and gets the reason', async () => {
    const definition = { ...HELD, name: 'old', public: true, schedule: '* * * * *' };
    const revision = 2;
    const endpoints = [{ name: 'old', hash: hashOf(definition), definition }];
    agent.say({ type: 'config', revision, endpoints });
    const { warnings, registered } = await agent.receive('registered');
    expect(registered).toMatchObject([{ name: 'old' }]);
    expect(warnings).toEqual([
      expect.stringContaining('"old" is registered without its public'),
      expect.stringContaining('"old" is registered without its schedule'),
    ]);
    const shown = await readAnswer(await world.manage('/endpoints/old'));
    expect(shown.body).toMatchObject({ public: false, schedule: null, allow_self: false });
    expect((await fetch(`${world.hub.baseUrl}/v1/${world.start.username}/old`)).status).toBe(401);
  });

  test('a person with the link and without a session decides nothing', async () => {
    const approvals = new Approvals(world);
    const { path, approval_id: id } = await approvals.callForApproval();
    // The page has no form for them.
    expect((await (await approvals.opened(path))('approve')).status).toBe(403);
    expect((await approvals.approval(id)).status).toBe('pending_approval');
  });
});

describe('a step', () => {
  test('shortens the timeout of a file, and does not lengthen it', async () => {
    for (const [asked, given] of [
      [4, 4],
      [600, 10],
    ]) {
      const slug = `t${asked}`;
      const nodes = [{ id: 'a', endpoint: 'plain', timeout: asked }];
      expect((await ask('POST', '/pipelines', { slug, nodes })).status).toBe(201);
      await ask('POST', '/pipeline-runs', { pipeline: slug });
      const order = await agent.receive('run');
      expect([asked, order.timeout]).toEqual([asked, given]);
      agent.end(order.execution_id, 0);
    }
  });

  test('sets a variable that its endpoint accepts, and no other', async () => {
    const step = (env: object) => ({ id: 'a', endpoint: 'plain', env });
    const refused = await pipeline({ type: 'manual' }, step({ MODE: 'x' }));
    expect([refused.status, refused.body]).toMatchObject([
      400,
      {
        details: {
          fields: [{ field: 'nodes.0.env.MODE', message: expect.stringContaining('it accepts COLOUR') }],
        },
      },
    ]);
    expect((await pipeline({ type: 'manual' }, step({ COLOUR: 'red' }))).status).toBe(201);
    await ask('POST', '/pipeline-runs', { pipeline: 'p' });
    const order = await agent.receive('run');
    expect(order.env).toEqual({ COLOUR: 'red' });
    agent.end(order.execution_id, 0);
  });
});
