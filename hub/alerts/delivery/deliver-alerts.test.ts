import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import type { Store } from '../../build/create-store.ts';
import { HOUR_MS } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import { AlertWorld, SECRET } from '../fixtures/alert-world.ts';
import { Receiver } from '../fixtures/receiver.ts';

setDefaultTimeout(60_000);

const TIMEOUT_MS = 15_000;

onBothDatabases(({ open, newLocation }) => {
  let store: Store;
  let world: AlertWorld;
  let receiver: Receiver;
  beforeEach(async () => {
    store = await open();
    world = new AlertWorld(store);
    receiver = new Receiver();
  }, 60_000);
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  test('a webhook gets a published event once, signed, and the log shows it', async () => {
    const rule = await world.rule(receiver.url);
    const event = await world.publish(rule.workspaceId);
    await world.deliver().untilTried(1);
    const [{ path, headers, body } = expect.unreachable(), ...more] = receiver.received;
    expect(more).toEqual([]);
    expect(path).toBe('/hook?key=1');
    expect(headers.get('host')).toBe(`127.0.0.1:${receiver.port}`);
    expect(headers.get('content-type')).toBe('application/json');
    expect(JSON.parse(body)).toEqual({
      type: 'execution.failed',
      version: 1,
      timestamp: '2026-11-20T12:00:00.000Z',
      workspace_id: rule.workspaceId,
      data: event.data,
    });
    const id = headers.get('webhook-id');
    const signed = `${id}.${headers.get('webhook-timestamp')}.${body}`;
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    expect(headers.get('webhook-signature')).toBe(
      `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
    );
    expect(await world.log(rule)).toMatchObject([{ id, state: 'delivered', tries: 1, responseStatus: 204 }]);
  });

  test('a delivery is tried again while new events cannot be assigned to their targets', async () => {
    const rule = await world.rule(receiver.url);
    receiver.answer = () => new Response('no', { status: 500 });
    await world.publish(rule.workspaceId);
    await world.deliver().untilTried(1);
    receiver.answer = () => new Response(null, { status: 204 });
    world.clock.move(HOUR_MS);
    await world.deliver({ fanOut: () => Promise.reject(new Error('one event is wrong')) }).untilTried(1);
    expect(await world.log(rule)).toMatchObject([{ state: 'delivered', tries: 2 }]);
    expect(world.problems).toContain('Error: one event is wrong');
  });

  test('a failing delivery is tried eight times in 24 hours with the same id and body, and then dropped', async () => {
    const rule = await world.rule(receiver.url);
    receiver.answer = () => new Response('no', { status: 500 });
    await world.publish(rule.workspaceId);
    const deliverer = world.deliver();
    const waits: number[] = [];
    for (let tries = 1; tries <= 8; tries += 1) {
      await deliverer.untilTried(tries);
      const [{ nextAtMs } = expect.unreachable()] = await world.log(rule);
      if (nextAtMs === undefined) break;
      waits.push(nextAtMs - world.clock.nowMs());
      world.clock.move(nextAtMs - 1 - world.clock.nowMs());
      world.clock.move(1);
      deliverer.wake();
    }
    expect(await world.log(rule)).toMatchObject([{ state: 'given_up', tries: 8, error: 'answered 500' }]);
    expect(waits.reduce((sum, wait) => sum + wait)).toBe(24 * HOUR_MS);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(receiver.received).toHaveLength(8);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1);
  });

  test('alerts of a rule arrive in the order of their events, also when the first one waits for long', async () => {
    const rule = await world.rule(receiver.url);
    receiver.answer = () => new Response(null, { status: 503 });
    for (let n = 0; n < 5; n += 1) await world.publish(rule.workspaceId, { data: { n } });
    const deliverer = world.deliver();
    for (let tries = 1; tries <= 4; tries += 1) {
      await deliverer.untilTried(tries);
      const nextAtMs = (await world.log(rule)).at(-1)?.nextAtMs ?? expect.unreachable();
      world.clock.move(nextAtMs - world.clock.nowMs());
      deliverer.wake();
    }
    await deliverer.untilTried(5);
    expect(receiver.bodies.every(({ data }) => data.n === 0)).toBe(true);
    receiver.answer = () => new Response(null, { status: 200 });
    world.clock.move(3 * HOUR_MS);
    deliverer.wake();
    await deliverer.untilTried(10);
    const arrived = receiver.bodies.slice(-5).map(({ data }) => data.n);
    expect(arrived).toEqual([0, 1, 2, 3, 4]);
  });

  test('a hanging receiver blocks neither other rules nor other workspaces, and is tried again', async () => {
    await using dead = new Receiver();
    const { promise: never, resolve: end } = Promise.withResolvers<Response>();
    dead.answer = () => never;
    const workspace = await world.rule(dead.url);
    // More deliveries to the dead receiver than the workspace has connections.
    for (let n = 0; n < 5; n += 1) await world.rule(dead.url, { workspaceId: workspace.workspaceId });
    const other = await world.rule(receiver.url);
    await world.publish(workspace.workspaceId);
    await world.publish(other.workspaceId);
    const deliverer = world.deliver();
    await dead.until(4);
    await deliverer.untilTried(1);
    expect(await world.log(other)).toMatchObject([{ state: 'delivered' }]);
    expect(dead.received).toHaveLength(4);
    world.clock.move(TIMEOUT_MS);
    await deliverer.untilTried(5);
    await dead.until(6);
    expect(await world.log(workspace)).toMatchObject([
      { state: 'waiting', tries: 1, error: 'no answer within 15 s', responseStatus: undefined },
    ]);
    end(new Response());
  });

  test('hubs that share a store send each alert once', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    await using both = new AlertWorld(one);
    const rules = await Promise.all(Array.from({ length: 6 }, () => both.rule(receiver.url)));
    for (const { workspaceId } of rules)
      for (let n = 0; n < 5; n += 1) await both.publish(workspaceId, { data: { n } });
    const hubs = [both.deliver({ store: one }), both.deliver({ store: other })];
    // A delivery whose response is cut off is sent again, as intended.
    while (hubs.reduce((sum, { attempts }) => sum + attempts.length, 0) < 30)
      await new Promise((resolve) => setImmediate(resolve));
    await both[Symbol.asyncDispose]();
    const ids = receiver.received.map(({ headers }) => headers.get('webhook-id'));
    expect([ids.length, new Set(ids).size]).toEqual([30, 30]);
    for (const rule of rules) {
      const ofRule = receiver.received.filter(({ body }) => body.includes(rule.workspaceId));
      expect(ofRule.map(({ body }) => JSON.parse(body).data.n)).toEqual([0, 1, 2, 3, 4]);
    }
  });

  test('a delivery that a stopping hub interrupts is sent again with the same id, and not counted as a failure', async () => {
    const rule = await world.rule(receiver.url);
    const { promise: never, resolve: end } = Promise.withResolvers<Response>();
    receiver.answer = () => never;
    await world.publish(rule.workspaceId);
    const first = world.deliver();
    await receiver.until(1);
    const stopped = first.stop(0);
    await stopped;
    expect(await world.log(rule)).toMatchObject([{ state: 'waiting', tries: 0 }]);
    receiver.answer = () => new Response(null, { status: 204 });
    end(new Response());
    await world.deliver().untilTried(1);
    const ids = receiver.received.map(({ headers }) => headers.get('webhook-id'));
    expect(ids).toEqual([ids[0] ?? null, ids[0] ?? null]);
  });

  test('an arrived delivery is not sent again when the store cannot write at that moment', async () => {
    const rule = await world.rule(receiver.url);
    await world.publish(rule.workspaceId);
    let refusals = 3;
    const { alertOutbox: real } = store;
    const { promise, resolve } = Promise.withResolvers<void>();
    world.deliver({
      outbox: {
        claimDue: (...args) => real.claimDue(...args),
        release: (...args) => real.release(...args),
        tried: async (...args) => {
          if (refusals-- > 0) throw new Error('the store cannot write');
          resolve();
          return await real.tried(...args);
        },
      },
    });
    await promise;
    await world[Symbol.asyncDispose]();
    expect(receiver.received).toHaveLength(1);
    expect(await world.log(rule)).toMatchObject([{ state: 'delivered', tries: 1 }]);
  });
});
