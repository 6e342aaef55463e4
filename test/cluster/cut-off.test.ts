// A bus that is cut off without a reset: packets are dropped, or the broker is frozen. TCP reports nothing.
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { MovableClock } from '../movable-clock.ts';
import { startNats } from '../nats.ts';
import { startPostgres } from '../postgres.ts';
import { TcpRelay } from '../tcp-relay.ts';
import { until } from '../until.ts';
import { within } from '../within.ts';
import { clusterMissing, knowEachOther, ready, untilOnline } from './hubs.ts';

setDefaultTimeout(120_000);

const ENDPOINTS = [{ name: 'job', command: 'true' }];
/** A call to a hub that answers nothing once took five seconds. */
const MAX_ANSWER_MS = 1_000;
const KNOWN_WITHIN_MS = 10_000;
/** A step of a test that takes longer hangs, and the error names it. */
const STEP_MS = 30_000;

async function worlds() {
  await using stack = new AsyncDisposableStack();
  const [postgres, nats] = await Promise.all([startPostgres({ syncs: false }), startNats()]);
  stack.use(postgres);
  stack.use(nats);
  const relay = stack.use(await TcpRelay.to(nats.address));
  const shared = {
    DATABASE_URL: await postgres.createDatabase(),
    SVC_MASTER_KEY: '7'.repeat(64),
    SVC_RATE_LIMITS: 'off',
  };
  const begin = async (address: string, index: number) =>
    stack.use(
      await hubWorld({
        env: { ...shared, NATS_URL: `nats://${address}` },
        clock: new MovableClock(),
        index,
      }),
    );
  const one = await begin(nats.address, 0);
  const behind = await begin(relay.address, 1);
  await knowEachOther([one, behind]);
  const resources = stack.move();
  return { nats, relay, one, behind, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

async function timed(call: Promise<Response>): Promise<[status: number, code: unknown, ms: number]> {
  const beganAtMs = performance.now();
  const response = await call;
  const { code } = (await response.json()) as { code?: unknown };
  return [response.status, code, performance.now() - beganAtMs];
}

async function untilLost(world: HubWorld, sinceMs: number): Promise<number> {
  await until(async () => JSON.stringify(await ready(world)) === '[200,{"ready":true,"bus":"lost"}]');
  return performance.now() - sinceMs;
}

async function agentOf(world: HubWorld, other: HubWorld) {
  const instance = crypto.randomUUID();
  const agent = await world.agent({ endpoints: ENDPOINTS, instance });
  await untilOnline(other, instance);
  return agent;
}

/** One call after another until one is refused at once; each is refused. How long the longest took. */
async function untilRefusedAtOnce(world: HubWorld): Promise<number> {
  let longestMs = 0;
  for (;;) {
    const [status, code, ms] = await timed(world.call('job'));
    expect([status, code]).toEqual([502, 'agent_offline']);
    longestMs = Math.max(longestMs, ms);
    if (ms < MAX_ANSWER_MS) return longestMs;
  }
}

describe.skipIf(clusterMissing !== undefined)('a hub that is cut off from the bus without a reset', () => {
  test('answers at once before it is lost, reports it within ten seconds, and is back afterwards', async () => {
    await using hubs = await worlds();
    const { relay, one, behind } = hubs;
    await using agent = await agentOf(one, behind);
    const whole = behind.call('job');
    await agent.answer('before\n');
    expect((await whole).status).toBe(200);
    const cutAtMs = performance.now();
    relay.cut();
    // The first waits until the bus is suspected, and none as long as a hub may take to answer.
    expect(await untilRefusedAtOnce(behind)).toBeLessThan(4_500);
    for (let n = 0; n < 5; n += 1) expect((await timed(behind.call('job')))[2]).toBeLessThan(MAX_ANSWER_MS);
    expect(await untilLost(behind, cutAtMs)).toBeLessThan(KNOWN_WITHIN_MS);
    expect((await timed(behind.call('job')))[2]).toBeLessThan(MAX_ANSWER_MS);
    relay.mend();
    await until(async () => JSON.stringify(await ready(behind)) === '[200,{"ready":true,"bus":"ok"}]');
    await knowEachOther([one, behind]);
    const again = behind.call('job');
    await agent.answer('after\n');
    expect(await (await again).json()).toMatchObject({ output: 'after\n', exit_code: 0 });
    expect(agent.unread('run')).toBe(0);
  });

  test('delays no caller at another hub, after the first one', async () => {
    await using hubs = await worlds();
    const { relay, one, behind } = hubs;
    await using agent = await agentOf(behind, one);
    relay.cut();
    // The broker answers here: only that one hub is silent, and that shows when it leaves a call unanswered.
    const first = await Promise.all(Array.from({ length: 4 }, () => timed(one.call('job'))));
    for (const [status, code] of first) expect([status, code]).toEqual([502, 'agent_offline']);
    for (let n = 0; n < 5; n += 1) expect((await timed(one.call('job')))[2]).toBeLessThan(MAX_ANSWER_MS);
    expect(await ready(one)).toEqual([200, { ready: true, bus: 'ok' }]);
    relay.mend();
    await knowEachOther([one, behind]);
    await until(async () => JSON.stringify(await ready(behind)) === '[200,{"ready":true,"bus":"ok"}]');
    const again = one.call('job');
    await agent.answer('after\n');
    expect((await again).status).toBe(200);
    expect(agent.unread('run')).toBe(0);
  });

  test('of which the broker is frozen: every hub reports it, and continues where it was', async () => {
    await using hubs = await worlds();
    const { nats, one, behind } = hubs;
    await using agent = await agentOf(one, behind);
    const frozenAtMs = performance.now();
    await nats.freeze();
    try {
      expect(await within(STEP_MS, 'refusing at once', untilRefusedAtOnce(behind))).toBeLessThan(4_500);
      for (const world of [one, behind])
        expect(await within(STEP_MS, 'reporting the loss', untilLost(world, frozenAtMs))).toBeLessThan(
          KNOWN_WITHIN_MS,
        );
      // Its own agents a hub serves as before.
      const own = one.call('job');
      await within(STEP_MS, 'a call at the hub of the agent', Promise.all([own, agent.answer('own\n')]));
      expect((await own).status).toBe(200);
    } finally {
      nats.wake();
    }
    await within(STEP_MS, 'knowing each other again', knowEachOther([one, behind]));
    const again = behind.call('job');
    await within(STEP_MS, 'a call after the wake', Promise.all([again, agent.answer('after\n')]));
    expect((await again).status).toBe(200);
    expect(agent.unread('run')).toBe(0);
  });
});
