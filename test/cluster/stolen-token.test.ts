// A stolen agent token at two hubs with one database and one broker: it reaches no secret and no execution of the agent
// that it was stolen from (decision 58, agent tokens and secret grants). Each kind of theft is tried at the hub of the
// agent and at the other one.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { shownProcess } from '@svc/hub/agents/shown-process';
import type { HubWorld } from '../hub-world.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';
import { connect, type Owner, ownerOf, refusalOf, SECRET_VALUE } from '../token-world.ts';
import { pollPause } from '../until.ts';
import { clusterMissing, type TwoHubs, twoHubs } from './hubs.ts';

const ASYNC = { headers: { prefer: 'respond-async' } };

describe.skipIf(clusterMissing !== undefined)('a stolen agent token', () => {
  let hubs: TwoHubs;
  let owner: Owner;
  let names = 0;
  beforeAll(async () => {
    hubs = await twoHubs();
    owner = ownerOf(hubs.one);
    await owner.makeToken({ name: 'spare' });
  }, 60_000);
  afterAll(() => hubs[Symbol.asyncDispose](), 60_000);

  /** A real agent at the second hub, with a secret that is its own. */
  async function victim() {
    names += 1;
    const [name, slug, secret] = [`build-${names}`, `deploy-${names}`, `DEPLOY_TOKEN_${names}`];
    const endpoints = [{ name: slug, command: `deploy $svc:${secret}` }];
    const { token } = await owner.makeToken();
    await owner.setSecret(secret);
    for (const { clock } of hubs.worlds) clock.move(1_000);
    const instance = crypto.randomUUID();
    const agent = await connect(hubs.other, token, { endpoints, name, instance });
    await untilKnown(instance);
    return { name, slug, secret, endpoints, token, instance, agent };
  }
  const untilKnown = async (...instances: string[]) => {
    for (;;) {
      const { items } = (await owner.ask('GET', '/agents?limit=100')) as {
        items: { id: string; status: string }[];
      };
      const online = items.filter(({ status }) => status === 'online').map(({ id }) => id);
      if (instances.every((instance) => online.includes(shownProcess(instance)))) return;
      await pollPause();
    }
  };
  /** Calls at both hubs, all of which the real agent has to answer. */
  async function calledAtBoth(slug: string, secret: string, agent: ScriptedAgent) {
    for (const world of [hubs.one, hubs.other, hubs.one]) {
      const call = ownerOf(world).called(slug);
      const order = await Promise.race([
        agent.receive('run'),
        call.then((answer) => Promise.reject(new Error(JSON.stringify(answer)))),
      ]);
      expect(order.secrets).toEqual({ [secret]: SECRET_VALUE });
      agent.end(order.execution_id, 0);
      expect(await call).toMatchObject({ http: 200 });
    }
  }
  const worldOf = (where: string): HubWorld => (where === 'the same hub' ? hubs.other : hubs.one);

  test.each(['the same hub', 'another hub'])('under another name is refused at %s', async (where) => {
    const { token, agent, name } = await victim();
    expect(await refusalOf(worldOf(where), token, { name: 'thief' })).toContain(
      `for the agent "${name}" only`,
    );
    await agent.vanish();
  });

  test.each(['the same hub', 'another hub'])(
    'under the same name beside the real agent has no secret at %s',
    async (where) => {
      const { token, agent, name, slug, secret, endpoints } = await victim();
      const instance = crypto.randomUUID();
      const thief = await connect(worldOf(where), token, { endpoints, name, instance });
      await untilKnown(instance);
      await calledAtBoth(slug, secret, agent);
      expect(thief.unread('run')).toBe(0);
      await agent.vanish();
      for (const world of hubs.worlds)
        expect((await ownerOf(world).called(slug)).http).toBeGreaterThanOrEqual(400);
      expect(thief.unread('run')).toBe(0);
      await thief.vanish();
    },
  );

  test.each(['the same hub', 'another hub'])(
    'that was made later gets neither secrets nor executions at %s',
    async (where) => {
      const { agent, name, slug, secret, endpoints, instance, token } = await victim();
      const { token: later } = await owner.makeToken({ agent_name: name });
      const { execution_id: id } = (await owner.called(slug, ASYNC)) as { execution_id: string };
      await agent.receive('run');
      agent.output(id, 1, 'real\n');
      await agent.receive('ack');
      const claimed = {
        endpoints,
        name,
        instance,
        inFlight: [{ execution_id: id, last_seq: 1, ended: false }],
      };
      const thief = await connect(worldOf(where), later, claimed);
      expect(thief.welcome).toMatchObject({ resume: [], unknown: [id] });
      thief.output(id, 2, 'forged\n');
      thief.end(id, 2, { kind: 'exited', exit_code: 7, duration_ms: 1 });
      await thief.untilTaken();
      expect(await owner.ask('GET', `/executions/${id}`)).toMatchObject({ status: 'running' });
      // The real agent moves to the other hub in the middle of it, and continues.
      await agent.vanish();
      const back = await connect(hubs.one, token, claimed);
      expect(back.welcome).toMatchObject({ resume: [{ execution_id: id, stored_seq: 1 }], unknown: [] });
      back.end(id, 1);
      await back.receive('ended_ack');
      expect(await owner.ask('GET', `/executions/${id}`)).toMatchObject({
        status: 'succeeded',
        output: 'real\n',
      });
      await untilKnown(instance);
      await calledAtBoth(slug, secret, back);
      expect(thief.unread('run')).toBe(0);
      await Promise.all([back.vanish(), thief.vanish()]);
    },
  );

  test('two first hellos at two hubs bind it once', async () => {
    for (let n = 0; n < 5; n += 1) {
      const { token } = await owner.makeToken();
      const received = await Promise.all(
        [hubs.one, hubs.other].map((world, at) => refusalOf(world, token, { name: `race-${n}-${at}` })),
      );
      expect(received.filter((refusal) => refusal === undefined)).toHaveLength(1);
    }
  });
});
