import { expect, test } from 'bun:test';
import {
  DAY_MS,
  NOW_MS,
  newExecution,
  newWorkspace,
  quota,
  succeeded,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { AgentPresence } from '../alert-ports.ts';
import { alertDelivery, alertEvent } from '../fixtures/alert-store.ts';

onBothDatabases(({ open, newLocation }) => {
  test('the end of an execution and its alert are stored together, and only once', async () => {
    await using store = await open();
    const execution = newExecution();
    await store.executions.accept(execution);
    const event = alertEvent({ data: { execution_id: execution.id } });
    const failed = succeeded(execution.id, { state: 'failed', alerts: [event] });
    expect(await store.executions.finish(failed, [])).toBe(true);
    expect(await store.executions.finish({ ...failed, alerts: [alertEvent()] }, [])).toBe(false);
    expect(await store.alertOutbox.eventsToFanOut(10)).toEqual([event]);
  });

  test('an execution that ends while it waits publishes an alert, too', async () => {
    await using store = await open();
    const execution = newExecution({ state: 'queued' });
    await store.executions.accept(execution);
    const event = alertEvent();
    const cancelled = succeeded(execution.id, { state: 'cancelled', alerts: [event] });
    expect(await store.executions.finishQueued(cancelled)).toBe(true);
    expect(await store.alertOutbox.eventsToFanOut(10)).toEqual([event]);
  });

  test('a change of presence and its alert are stored together, by the first hub only', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const presence = (revision: number): AgentPresence => ({
      workspaceId: 'w1',
      agentName: 'default',
      state: 'online',
      processes: [{ instance: 'i1', hubId: 'h1' }],
      sinceMs: NOW_MS,
      revision,
    });
    for (const revision of [0, 1, 2]) {
      const stored = await Promise.all(
        [one, other, one, other].map(({ agentPresences }) =>
          agentPresences.store(presence(revision), alertEvent({ name: 'agent.online' })),
        ),
      );
      expect(stored.filter((isStored) => isStored)).toHaveLength(1);
      expect(await one.alertOutbox.eventsToFanOut(10)).toHaveLength(revision + 1);
    }
    expect(await other.agentPresences.find('w1', 'default')).toEqual(presence(2));
    expect(await other.agentPresences.online()).toEqual([presence(2)]);
    expect(await other.agentPresences.offlineSince(NOW_MS)).toEqual([]);
    await one.agentPresences.store({ ...presence(3), state: 'away', processes: [] }, undefined);
    expect(await other.agentPresences.offlineSince(NOW_MS - 1)).toEqual([]);
    expect(await other.agentPresences.offlineSince(NOW_MS)).toMatchObject([{ state: 'away', revision: 3 }]);
  });

  test('the crossing of a quota share is published once, under concurrency and after refunds', async () => {
    const location = await newLocation();
    await using one = await open(location);
    await using other = await open(location);
    const { workspaceId } = await newWorkspace(one);
    const take = () => one.executions.accept(newExecution({ workspaceId }), quota(10, workspaceId));
    const at = { plan: 'free', period: '2026-11', percent: 80, used: 8 } as const;
    for (let taken = 0; taken < 7; taken += 1) await take();
    expect(await one.quotaMarks.crossed(at)).toEqual([]);
    await take();
    const crossing = { workspaceId, period: '2026-11', used: 8 };
    expect(await other.quotaMarks.crossed(at)).toEqual([crossing]);
    expect(await other.quotaMarks.crossed({ ...at, plan: 'pro' })).toEqual([]);
    const marks = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (n % 2 === 0 ? one : other).quotaMarks.mark(
          crossing,
          80,
          alertEvent({ workspaceId, name: 'quota.80' }),
        ),
      ),
    );
    expect(marks.filter((isFirst) => isFirst)).toHaveLength(1);
    expect(await one.alertOutbox.eventsToFanOut(10)).toMatchObject([{ name: 'quota.80', workspaceId }]);
    await take();
    expect(await one.quotaMarks.crossed(at)).toEqual([]);
    expect(await one.quotaMarks.crossed({ ...at, percent: 100 })).toMatchObject([{ used: 9 }]);
  });

  test('the log is kept for 30 days; waiting deliveries and their queue are kept as long as they wait', async () => {
    await using store = await open();
    const createdAtMs = NOW_MS - 31 * DAY_MS;
    const old = [alertDelivery({ ruleId: 'r1', createdAtMs }), alertDelivery({ ruleId: 'r2', createdAtMs })];
    for (const delivery of [...old, alertDelivery({ ruleId: 'r3' })])
      await store.alertOutbox.addDelivery(delivery);
    const claimed = (await store.alertOutbox.claimDue(createdAtMs, NOW_MS, [])) ?? expect.unreachable();
    const arrived = { atMs: NOW_MS, responseStatus: 200, error: undefined, nextAtMs: undefined };
    await store.alertOutbox.tried(claimed, arrived);
    await store.sweep(NOW_MS);
    const left = async (ruleId: string) =>
      (await store.alertRules.deliveries({ workspaceId: 'w1', ruleId, limit: 10 })).items.length;
    expect([await left('r1'), await left('r2'), await left('r3')]).toEqual([0, 1, 1]);
    expect(await store.alertOutbox.claimDue(NOW_MS, NOW_MS + 1, [])).toMatchObject({ ruleId: 'r2' });
  });
});
