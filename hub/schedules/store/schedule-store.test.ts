import { describe, expect, test } from 'bun:test';
import { missedBecause } from '@svc/core/execution/outcome';
import type { Store } from '../../build/create-store.ts';
import type { Announced } from '../../endpoints/endpoint-ports.ts';
import {
  announced,
  auditEntry,
  HOUR_MS,
  NOW_MS,
  newExecution,
  newId,
  newWorkspace,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';
import type { DueSchedule, FireExecution, Fires } from '../schedule-ports.ts';

const MINUTE_MS = 60_000;
const QUOTA = { period: '2026-11', limit: 1_000 };

function scheduled(slug: string, schedule?: string, command = 'uptime'): Announced {
  const one = announced(slug, command);
  if (schedule === undefined) return one;
  const definition = JSON.stringify({ ...(JSON.parse(one.definition) as object), schedule });
  return {
    slug,
    definition,
    definitionHash: new Bun.CryptoHasher('sha256').update(definition).digest('hex'),
  };
}

/** A workspace of its own in which these schedules are registered. */
async function workspaceWith(store: Store, ...all: readonly Announced[]) {
  const { workspaceId } = await newWorkspace(store);
  const register = (nowMs: number, ...now: readonly Announced[]) =>
    store.endpoints.register(workspaceId, 'default', { endpoints: now }, nowMs);
  await register(NOW_MS, ...all);
  const [first] = await store.schedules.ofWorkspace(workspaceId);
  return { workspaceId, register, first: first as DueSchedule };
}

function fireOf({ endpointId, workspaceId }: DueSchedule, scheduledForMs: number): FireExecution {
  const execution = newExecution({ endpointId, workspaceId, state: 'queued', trigger: 'schedule' });
  return { ...execution, scheduledForMs };
}

function started(schedule: DueSchedule, atMs: number, limit: number | undefined = QUOTA.limit): Fires {
  const execution = fireOf(schedule, atMs);
  const quota = { ...QUOTA, workspaceId: schedule.workspaceId, limit };
  return {
    missed: [],
    start: { execution, quota, approval: undefined },
    alerts: [],
    nextMs: atMs + MINUTE_MS,
  };
}

function missed(schedule: DueSchedule, times: readonly number[], nextMs: number): Fires {
  const records = times.map((atMs) => ({
    execution: fireOf(schedule, atMs),
    ended: missedBecause('hub_down', 'the hub was not running when it was due'),
    fires: undefined,
  }));
  return { missed: records, start: undefined, alerts: [], nextMs };
}

const EACH_MINUTE = scheduled('job', '* * * * *');
const FIRST_MS = NOW_MS + MINUTE_MS;

onBothDatabases(({ shared, open }) => {
  describe('the schedule of an endpoint', () => {
    test('is created and removed with its definition, and keeps its id and its due fire when the expression stays', async () => {
      const store = await shared();
      const { workspaceId, register, first } = await workspaceWith(store, EACH_MINUTE, scheduled('other'));
      expect(first).toMatchObject({ expression: '* * * * *', state: 'active', nextFireAtMs: FIRST_MS });
      const later = NOW_MS + HOUR_MS;
      await register(later, scheduled('job', '* * * * *', 'other command'), scheduled('other', '0 * * * *'));
      const [same, other] = await store.schedules.ofWorkspace(workspaceId);
      expect(same).toEqual(first);
      expect(other).toMatchObject({ registeredAtMs: later, nextFireAtMs: later + HOUR_MS, earlier: 1 });
      await register(later, scheduled('job', '30 * * * *'));
      expect(await store.schedules.ofWorkspace(workspaceId)).toEqual([
        { ...first, expression: '30 * * * *', nextFireAtMs: later + HOUR_MS / 2 },
      ]);
      await register(later);
      expect(await store.schedules.ofWorkspace(workspaceId)).toEqual([]);
    });

    test('that is older than the schedules gets one with the next registration', async () => {
      const store = await shared();
      const { workspaceId, register, first } = await workspaceWith(store, EACH_MINUTE);
      await store.schedules.correct(first, undefined, NOW_MS);
      expect(await store.schedules.ofWorkspace(workspaceId)).toEqual([]);
      await register(NOW_MS, EACH_MINUTE);
      expect(await store.schedules.ofWorkspace(workspaceId)).toEqual([first]);
    });

    test('counts how many of its workspace were registered earlier, up to the limit of the plan', async () => {
      const store = await shared();
      const slugs = ['a', 'b', 'c', 'd', 'e'];
      const { workspaceId } = await workspaceWith(
        store,
        ...slugs.map((slug) => scheduled(slug, '0 0 1 1 *')),
      );
      const all = await store.schedules.ofWorkspace(workspaceId);
      expect(all.map(({ earlier }) => earlier)).toEqual([0, 1, 2, 3, 3]);
      expect((await store.schedules.find(all[2]?.endpointId ?? ''))?.earlier).toBe(2);
    });
  });

  test('due schedules are listed longest due first, page by page, without paused and later ones', async () => {
    await using store = await open();
    const { register, workspaceId } = await workspaceWith(store, scheduled('hourly', '0 * * * *'));
    const minutely = ['a', 'b', 'c', 'd'].map((slug) => scheduled(slug, '* * * * *'));
    await register(NOW_MS, scheduled('hourly', '0 * * * *'), ...minutely);
    const all = await store.schedules.ofWorkspace(workspaceId);
    const paused = all.at(-1)?.endpointId ?? '';
    await store.schedules.pause(paused, auditEntry(workspaceId));
    expect(await store.schedules.due(FIRST_MS - 1, undefined, 9)).toEqual([]);
    const first = await store.schedules.due(NOW_MS + HOUR_MS, undefined, 3);
    const rest = await store.schedules.due(NOW_MS + HOUR_MS, first.at(-1), 3);
    const found = [...first, ...rest];
    expect(found.map(({ nextFireAtMs }) => nextFireAtMs)).toEqual([
      FIRST_MS,
      FIRST_MS,
      FIRST_MS,
      NOW_MS + HOUR_MS,
    ]);
    expect(new Set(found.map(({ endpointId }) => endpointId)).size).toBe(4);
    expect(found.map(({ endpointId }) => endpointId)).not.toContain(paused);
  });

  describe('a fire', () => {
    test('that twenty hubs try to store is stored by one, with its quota', async () => {
      const store = await shared();
      const { workspaceId, first } = await workspaceWith(store, EACH_MINUTE);
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => store.schedules.record(first, started(first, FIRST_MS))),
      );
      expect(outcomes.toSorted()).toEqual([...Array(19).fill('overtaken'), 'stored']);
      expect(await store.executions.quotaUsed(workspaceId, QUOTA.period)).toBe(1);
      expect((await store.executions.list({ workspaceId, limit: 9 })).items).toMatchObject([
        { state: 'queued', trigger: 'schedule', scheduledForMs: FIRST_MS },
      ]);
      expect(await store.schedules.find(first.endpointId)).toMatchObject({
        nextFireAtMs: FIRST_MS + MINUTE_MS,
      });
    });

    test('that is stored a second time after a lost answer counts once', async () => {
      const store = await shared();
      const { workspaceId, first } = await workspaceWith(store, EACH_MINUTE);
      const fires = started(first, FIRST_MS);
      expect(await store.schedules.record(first, fires)).toBe('stored');
      expect(await store.schedules.record(first, fires)).toBe('stored');
      expect(await store.executions.quotaUsed(workspaceId, QUOTA.period)).toBe(1);
    });

    test('over the quota leaves everything as it was', async () => {
      const store = await shared();
      const { workspaceId, first } = await workspaceWith(store, EACH_MINUTE);
      for (const limit of [0, 1])
        for (const due of [first, { ...first, nextFireAtMs: FIRST_MS + MINUTE_MS }])
          await store.schedules.record(due, started(due, due.nextFireAtMs, limit));
      expect(await store.executions.quotaUsed(workspaceId, QUOTA.period)).toBe(1);
      expect(await store.schedules.find(first.endpointId)).toMatchObject({
        nextFireAtMs: FIRST_MS + MINUTE_MS,
      });
    });

    test('of a minute that is on record already is refused, and a missed one left unchanged', async () => {
      const store = await shared();
      const { workspaceId, first } = await workspaceWith(store, EACH_MINUTE);
      await store.schedules.record(first, { ...started(first, FIRST_MS), nextMs: FIRST_MS });
      expect(await store.schedules.record(first, started(first, FIRST_MS))).toBe('fired_already');
      expect(await store.schedules.find(first.endpointId)).toMatchObject({ nextFireAtMs: FIRST_MS });
      expect(await store.executions.quotaUsed(workspaceId, QUOTA.period)).toBe(1);
      const times = [FIRST_MS, FIRST_MS + MINUTE_MS];
      expect(await store.schedules.record(first, missed(first, times, FIRST_MS + HOUR_MS))).toBe('stored');
      const { items } = await store.executions.list({ workspaceId, limit: 9 });
      expect(items.map(({ state, scheduledForMs }) => [scheduledForMs, state]).toSorted()).toEqual([
        [FIRST_MS, 'queued'],
        [FIRST_MS + MINUTE_MS, 'missed'],
      ]);
    });

    test('of a schedule that was changed, paused or removed meanwhile is not stored', async () => {
      const store = await shared();
      const change = [
        ({ register }: { register: (at: number, ...all: Announced[]) => Promise<unknown> }) =>
          register(NOW_MS, scheduled('job', '*/2 * * * *')),
        ({ register }: { register: (at: number, ...all: Announced[]) => Promise<unknown> }) =>
          register(NOW_MS),
      ];
      for (const one of change) {
        const made = await workspaceWith(store, EACH_MINUTE);
        await one(made);
        expect(await store.schedules.record(made.first, started(made.first, FIRST_MS))).toBe('overtaken');
      }
      const { workspaceId, first } = await workspaceWith(store, EACH_MINUTE);
      await store.schedules.pause(first.endpointId, auditEntry(workspaceId));
      expect(await store.schedules.record(first, started(first, FIRST_MS))).toBe('overtaken');
    });

    test('is found as the last of its schedule, the started and the missed one', async () => {
      const store = await shared();
      const { first } = await workspaceWith(store, EACH_MINUTE);
      const ids = [first.endpointId, newId()];
      expect(await store.schedules.lastFires(ids)).toEqual({ fired: new Map(), missed: new Map() });
      const fires = started(first, FIRST_MS);
      await store.schedules.record(first, fires);
      const next = { ...first, nextFireAtMs: FIRST_MS + MINUTE_MS };
      const times = [2, 3, 4].map((minute) => NOW_MS + minute * MINUTE_MS);
      await store.schedules.record(next, missed(next, times, NOW_MS + HOUR_MS));
      const { fired, missed: lost } = await store.schedules.lastFires(ids);
      expect(fired.get(first.endpointId)).toEqual({
        executionId: fires.start?.execution.id ?? '',
        scheduledForMs: FIRST_MS,
        state: 'queued',
        reason: undefined,
      });
      expect(lost.get(first.endpointId)).toMatchObject({
        scheduledForMs: NOW_MS + 4 * MINUTE_MS,
        state: 'missed',
        reason: 'hub_down',
      });
    });
  });

  test('a schedule is paused once and resumed once, each with its entry', async () => {
    const store = await shared();
    const { workspaceId, first } = await workspaceWith(store, EACH_MINUTE);
    const entry = auditEntry(workspaceId, { action: 'schedule.paused' });
    const twice = (change: () => Promise<boolean>) => Promise.all([change(), change()]);
    expect((await twice(() => store.schedules.pause(first.endpointId, entry))).toSorted()).toEqual([
      false,
      true,
    ]);
    expect(await store.schedules.find(first.endpointId)).toMatchObject({
      state: 'paused',
      nextFireAtMs: undefined,
    });
    const nextMs = NOW_MS + HOUR_MS;
    expect((await twice(() => store.schedules.resume(first, nextMs, entry))).toSorted()).toEqual([
      false,
      true,
    ]);
    expect(await store.schedules.find(first.endpointId)).toEqual({ ...first, nextFireAtMs: nextMs });
  });
});
