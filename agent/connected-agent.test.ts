import { expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { AgentWorld } from './link/fixtures/agent-world.ts';
import { ManualTimers } from './link/fixtures/manual-timers.ts';
import { ScriptedHub } from './link/fixtures/scripted-hub.ts';

setDefaultTimeout(30_000);

const GATED = { name: 'gated', command: 'echo begun; while [ ! -e go ]; do sleep 0.01; done; echo over' };

/** An agent with a stopped clock, and a command that waits for a file. */
async function busyWorld() {
  const hub = new ScriptedHub();
  const world = await AgentWorld.make([GATED]);
  const timers = new ManualTimers();
  const agent = await world.connect(hub.url, { timers });
  await world.until(() => world.eventsOf('connected')[0]);
  const id = hub.run('gated');
  await hub.until(() => hub.record(id).output === 'begun\n');
  return {
    hub,
    world,
    timers,
    agent,
    id,
    open: () => Bun.write(join(world.folder, 'go'), ''),
    async [Symbol.asyncDispose]() {
      const stopped = world[Symbol.asyncDispose]();
      await hub.until(() => hub.socket === undefined || agent.running() === 0);
      timers.advance(100_000);
      await stopped;
      await hub[Symbol.asyncDispose]();
    },
  };
}

/** Whether a promise has settled after all pending callbacks ran. */
async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  for (let turn = 0; turn < 20; turn += 1) await Bun.sleep(0);
  return settled;
}

test('stop waits for running commands and for the acknowledgement of their endings', async () => {
  await using busy = await busyWorld();
  const { hub, agent, id, open, timers } = busy;
  hub.acknowledgesEnds = false;
  const stopped = agent.stop();
  timers.advance(10_000);
  expect(await hasSettled(stopped)).toBe(false);
  await open();
  await hub.ended(id);
  expect(await hasSettled(stopped)).toBe(false);
  hub.send({ type: 'ended_ack', execution_id: id });
  await stopped;
});

test('stop waits at most ten seconds for acknowledgements', async () => {
  await using busy = await busyWorld();
  const { hub, agent, id, open, timers } = busy;
  hub.acknowledgesEnds = false;
  const stopped = agent.stop();
  await open();
  await hub.ended(id);
  timers.advance(9_999);
  expect(await hasSettled(stopped)).toBe(false);
  timers.advance(1);
  await stopped;
});

test('an urgent stop waits two seconds, counted from the last ending', async () => {
  await using busy = await busyWorld();
  const { hub, agent, id, timers } = busy;
  hub.acknowledgesEnds = false;
  const stopped = agent.stopNow();
  expect((await hub.ended(id)).ending).toMatchObject({ kind: 'cancelled' });
  timers.advance(1_999);
  expect(await hasSettled(stopped)).toBe(false);
  timers.advance(1);
  await stopped;
});

test('stop does not wait for a hub that refused the agent', async () => {
  await using busy = await busyWorld();
  const { hub, agent, open } = busy;
  hub.closeWith('unauthorized', 'revoked');
  expect(await agent.refused).toEqual({ reason: 'unauthorized', message: 'revoked' });
  const stopped = agent.stop();
  await open();
  await stopped;
});

test('a second stop has no effect', async () => {
  await using busy = await busyWorld();
  const { agent, open } = busy;
  await open();
  await Promise.all([agent.stop(), agent.stop(), agent.stopNow()]);
});
