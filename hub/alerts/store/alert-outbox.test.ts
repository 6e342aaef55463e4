import { expect, test } from 'bun:test';
import { MAX_IN_QUEUE } from '@svc/core/alert/delivery-queue';
import { auditEntry, HOUR_MS, NOW_MS, newId } from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { ClaimedDelivery } from '../alert-ports.ts';
import { alertDelivery, alertEvent, storedRule } from '../fixtures/alert-store.ts';
import type { AlertOutbox } from './alert-outbox.ts';

const LEASE_MS = 60_000;
const DELIVERED = { atMs: NOW_MS + 5, responseStatus: 204, error: undefined, nextAtMs: undefined };

function claim(outbox: AlertOutbox, nowMs = NOW_MS, busy: string[] = []) {
  return outbox.claimDue(nowMs, nowMs + LEASE_MS, busy);
}

/** Claims and delivers until nothing is due. */
async function deliverAll(outbox: AlertOutbox): Promise<ClaimedDelivery[]> {
  const delivered: ClaimedDelivery[] = [];
  for (;;) {
    const one = await claim(outbox);
    if (one === undefined) return delivered;
    delivered.push(one);
    expect(await outbox.tried(one, { ...DELIVERED, atMs: NOW_MS })).toBe(true);
  }
}

onBothDatabases(({ open, newLocation }) => {
  test('events stay as published until they are settled, oldest first', async () => {
    await using store = await open();
    const [first, second] = [alertEvent({ sealedLink: 'x', callbackUrl: 'https://a.example' }), alertEvent()];
    await store.alertOutbox.publish(second);
    await store.alertOutbox.publish(first);
    expect(await store.alertOutbox.eventsToFanOut(10)).toEqual([first, second]);
    await store.alertOutbox.removeEvent(first.id);
    expect(await store.alertOutbox.eventsToFanOut(10)).toEqual([second]);
  });

  test('a queue returns its deliveries one after another, in the order of their events and not of their storage', async () => {
    await using store = await open();
    const events = Array.from({ length: 5 }, () => alertEvent());
    for (const event of events.toReversed()) await store.alertOutbox.addDelivery(alertDelivery({ event }));
    const first = await claim(store.alertOutbox);
    expect(first?.event).toEqual(events[0] ?? expect.unreachable());
    // While the first delivery is in flight, the queue gives out no other.
    expect(await claim(store.alertOutbox)).toBeUndefined();
    expect(await store.alertOutbox.tried(first ?? expect.unreachable(), { ...DELIVERED, atMs: NOW_MS })).toBe(
      true,
    );
    const rest = await deliverAll(store.alertOutbox);
    expect(rest.map(({ event }) => event.id)).toEqual(events.slice(1).map(({ id }) => id));
  });

  test('a delivery that waits for a retry blocks only its own queue', async () => {
    await using store = await open();
    const [dead, more, alive] = [alertDelivery(), alertDelivery(), alertDelivery({ ruleId: 'r2' })];
    for (const delivery of [dead, more, alive]) await store.alertOutbox.addDelivery(delivery);
    const claimed = (await claim(store.alertOutbox)) ?? expect.unreachable();
    const again = { ...DELIVERED, error: 'answered 500', responseStatus: 500, nextAtMs: NOW_MS + HOUR_MS };
    expect(await store.alertOutbox.tried(claimed, again)).toBe(true);
    expect((await deliverAll(store.alertOutbox)).map(({ id }) => id)).toEqual([alive.id]);
    expect(await claim(store.alertOutbox, NOW_MS + HOUR_MS)).toMatchObject({ id: dead.id, tries: 1 });
  });

  test('a delivery that is created twice, by two hubs or after a crash, is delivered once', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const deliveries = Array.from({ length: 20 }, () => alertDelivery());
    await Promise.all(
      deliveries.flatMap((delivery) => [
        one.alertOutbox.addDelivery(delivery),
        other.alertOutbox.addDelivery(delivery),
      ]),
    );
    expect(await deliverAll(one.alertOutbox)).toHaveLength(20);
    for (const delivery of deliveries) await other.alertOutbox.addDelivery(delivery);
    expect(await deliverAll(one.alertOutbox)).toEqual([]);
  });

  test('hubs that claim at once get different queues, and every delivery goes to one hub', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const ruleIds = Array.from({ length: 30 }, (_, n) => `r${n}`);
    await Promise.all(ruleIds.map((ruleId) => one.alertOutbox.addDelivery(alertDelivery({ ruleId }))));
    const claims = await Promise.all(
      ruleIds.flatMap(() => [claim(one.alertOutbox), claim(other.alertOutbox)]),
    );
    const claimed = claims.flatMap((found) => found?.ruleId ?? []);
    expect(claimed.toSorted()).toEqual(ruleIds.toSorted());
  });

  test('after the claim of a dead hub expires another hub claims the delivery, and a late result of the first is ignored', async () => {
    await using store = await open();
    const delivery = alertDelivery();
    await store.alertOutbox.addDelivery(delivery);
    const dead = (await claim(store.alertOutbox)) ?? expect.unreachable();
    expect(await claim(store.alertOutbox, NOW_MS + LEASE_MS - 1)).toBeUndefined();
    const next = (await claim(store.alertOutbox, NOW_MS + LEASE_MS)) ?? expect.unreachable();
    expect(next.id).toBe(delivery.id);
    expect(await store.alertOutbox.tried(dead, DELIVERED)).toBe(false);
    expect(await store.alertOutbox.tried(next, DELIVERED)).toBe(true);
  });

  test('a delivery that arrives while its queue is being emptied is not lost', async () => {
    await using store = await open();
    for (let round = 0; round < 25; round += 1) {
      await store.alertOutbox.addDelivery(alertDelivery());
      const claimed = (await claim(store.alertOutbox)) ?? expect.unreachable();
      const late = alertDelivery();
      await Promise.all([
        store.alertOutbox.tried(claimed, { ...DELIVERED, atMs: NOW_MS }),
        store.alertOutbox.addDelivery(late),
      ]);
      expect((await deliverAll(store.alertOutbox)).map(({ id }) => id)).toEqual([late.id]);
    }
  });

  test('a delivery beyond a thousand waiting ones is dropped, and the log has the reason', async () => {
    await using store = await open();
    const { id: ruleId, workspaceId } = await storedRule(store);
    const spread = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () =>
          store.alertOutbox.addDelivery(alertDelivery({ event: alertEvent({ workspaceId }), ruleId })),
        ),
      );
    await spread(MAX_IN_QUEUE);
    await spread(2);
    const { items } = await store.alertRules.deliveries({ workspaceId, ruleId, limit: 3 });
    const refused = { state: 'given_up', tries: 0, error: '1000 alerts wait before it' };
    expect(items).toMatchObject([refused, refused, { state: 'waiting' }]);
    const first = (await claim(store.alertOutbox)) ?? expect.unreachable();
    await store.alertOutbox.tried(first, DELIVERED);
    await spread(1);
    const [last] = (await store.alertRules.deliveries({ workspaceId, ruleId, limit: 1 })).items;
    expect(last).toMatchObject({ state: 'waiting' });
  });

  test('busy parties are skipped', async () => {
    await using store = await open();
    await store.alertOutbox.addDelivery(alertDelivery({ party: 'w1' }));
    await store.alertOutbox.addDelivery(alertDelivery({ ruleId: 'r2', party: 'w2' }));
    expect(await claim(store.alertOutbox, NOW_MS, ['w1', 'w2'])).toBeUndefined();
    expect(await claim(store.alertOutbox, NOW_MS, ['w1'])).toMatchObject({ party: 'w2' });
  });

  test('the log of a rule shows its own deliveries, newest first, page by page', async () => {
    await using store = await open();
    const { id: ruleId, workspaceId } = await storedRule(store);
    const deliveries = Array.from({ length: 5 }, () =>
      alertDelivery({ event: alertEvent({ workspaceId }), ruleId }),
    );
    for (const delivery of [...deliveries, alertDelivery()]) await store.alertOutbox.addDelivery(delivery);
    const claimed = (await claim(store.alertOutbox)) ?? expect.unreachable();
    await store.alertOutbox.tried(claimed, { ...DELIVERED, error: 'no', responseStatus: 500 });
    const filter = { workspaceId, ruleId, limit: 3 };
    const first = await store.alertRules.deliveries(filter);
    const cursor = first.nextCursor ?? expect.unreachable();
    const second = await store.alertRules.deliveries({ ...filter, cursor });
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    expect(ids).toEqual(deliveries.map(({ id }) => id).toReversed());
    expect(second.nextCursor).toBeUndefined();
    expect(second.items.at(-1)).toEqual({
      id: claimed.id,
      event: 'execution.failed',
      state: 'given_up',
      tries: 1,
      createdAtMs: NOW_MS,
      triedAtMs: NOW_MS + 5,
      nextAtMs: undefined,
      responseStatus: 500,
      error: 'no',
    });
    expect(await store.alertRules.deliveries({ ...filter, workspaceId: 'another' })).toMatchObject({
      items: [],
    });
  });

  test('the mail of an alert is stored once with its delivery, and the log follows the state of the mail', async () => {
    await using store = await open();
    const { id: ruleId, workspaceId } = await storedRule(store, { channel: 'email' });
    const delivery = alertDelivery({ event: alertEvent({ workspaceId }), ruleId });
    const mail = {
      id: newId(),
      to: 'ada@example.org',
      subject: 's',
      text: 't',
      html: 'h',
      createdAtMs: NOW_MS,
    };
    await store.alertOutbox.addMailDelivery(delivery, mail);
    await store.alertOutbox.addMailDelivery(delivery, mail);
    expect(await store.mailOutbox.recent(10)).toMatchObject([{ id: delivery.id, to: mail.to }]);
    const log = () => store.alertRules.deliveries({ workspaceId, ruleId, limit: 10 });
    expect((await log()).items).toMatchObject([{ state: 'waiting', tries: 0, nextAtMs: NOW_MS }]);
    await store.mailOutbox.failed(delivery.id, NOW_MS + 9, 'the server said no');
    expect((await log()).items).toMatchObject([{ state: 'waiting', tries: 1, error: 'the server said no' }]);
    await store.mailOutbox.sent(delivery.id, NOW_MS + 10);
    expect((await log()).items).toMatchObject([{ state: 'delivered', tries: 2, triedAtMs: NOW_MS + 10 }]);
  });

  test('deleting a rule removes its waiting deliveries; changing a rule retries them at once', async () => {
    await using store = await open();
    const rule = await storedRule(store);
    const event = () => alertEvent({ workspaceId: rule.workspaceId });
    await store.alertOutbox.addDelivery(alertDelivery({ event: event(), ruleId: rule.id }));
    const claimed = (await claim(store.alertOutbox)) ?? expect.unreachable();
    const later = { ...DELIVERED, error: 'no', nextAtMs: NOW_MS + 5 * HOUR_MS };
    await store.alertOutbox.tried(claimed, later);
    expect(await claim(store.alertOutbox)).toBeUndefined();
    const entry = { ...auditEntry(rule.workspaceId), atMs: NOW_MS };
    expect(await store.alertRules.change({ ...rule, name: 'new' }, entry)).toBe(true);
    expect(await store.alertRules.change({ ...rule, name: 'stale' }, entry)).toBe(false);
    expect(await claim(store.alertOutbox)).toMatchObject({ id: claimed.id });
    expect(await store.alertRules.remove('another', rule.id, auditEntry('another'))).toBe(false);
    expect(await store.alertRules.remove(rule.workspaceId, rule.id, entry)).toBe(true);
    expect(await claim(store.alertOutbox, NOW_MS + 9 * HOUR_MS)).toBeUndefined();
  });
});
