import { expect, test } from 'bun:test';
import {
  auditEntry,
  chunk,
  DAY_MS,
  NOW_MS,
  newExecution,
  newId,
  newWorkspace,
  succeeded,
} from '../../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../../platform/db/fixtures/stores.ts';

const KEPT_MS = 30 * DAY_MS;

onBothDatabases(({ open }) => {
  test('executions are removed after 30 days with their output; unfinished ones stay', async () => {
    await using store = await open();
    const { executions } = store;
    const madeAt = (createdAtMs: number) => newExecution({ id: newId(createdAtMs), createdAtMs });
    const [old, onTheDay, young, running] = [
      madeAt(NOW_MS - KEPT_MS - 1),
      madeAt(NOW_MS - KEPT_MS),
      madeAt(NOW_MS - DAY_MS),
      madeAt(NOW_MS - 2 * KEPT_MS),
    ];
    for (const execution of [old, onTheDay, young, running]) {
      await executions.accept(execution);
      await executions.append([chunk(execution.id, 1)]);
      if (execution !== running) await executions.finish(succeeded(execution.id), []);
    }
    expect(await store.sweep(NOW_MS)).toBe(1);
    expect(await executions.find(old.id)).toBeUndefined();
    expect(await executions.output(old.id, 0, 10)).toEqual([]);
    for (const { id } of [onTheDay, young, running]) {
      expect(await executions.find(id)).toBeDefined();
      expect(await executions.output(id, 0, 10)).toHaveLength(1);
    }
    expect(await store.sweep(NOW_MS + 1)).toBe(1);
    expect(await executions.find(onTheDay.id)).toBeUndefined();
    expect(await store.sweep(NOW_MS + 1)).toBe(0);
  });

  test('many executions and a long output are removed completely, in small units of work', async () => {
    await using store = await open();
    const { executions } = store;
    const old = Array.from({ length: 450 }, (_, index) => newId(NOW_MS - KEPT_MS - DAY_MS + index));
    await Promise.all(old.map((id) => executions.accept(newExecution({ id }))));
    const [long = ''] = old;
    const chunks = Array.from({ length: 2_500 }, (_, index) => chunk(long, index + 1));
    for (let from = 0; from < chunks.length; from += 500)
      await executions.append(chunks.slice(from, from + 500));
    await Promise.all(old.map((id) => executions.finish(succeeded(id), [])));
    const before = store.figures.units;
    expect(await store.sweep(NOW_MS)).toBe(450);
    expect(store.figures.units - before).toBeGreaterThan(4);
    expect(await executions.list({ workspaceId: 'w1', limit: 10 })).toEqual({
      items: [],
      nextCursor: undefined,
      isPartial: false,
    });
    expect(await executions.output(long, 0, 10)).toEqual([]);
  }, 30_000);

  test('a sweep stops at the abort signal', async () => {
    await using store = await open();
    const id = newId(NOW_MS - 2 * KEPT_MS);
    await store.executions.accept(newExecution({ id }));
    await store.executions.finish(succeeded(id), []);
    expect(await store.sweep(NOW_MS, AbortSignal.abort())).toBe(0);
    expect(await store.executions.find(id)).toBeDefined();
  });

  test('expired idempotency keys are removed at once; links, tokens and mails after 30 days', async () => {
    await using store = await open();
    const { userId } = await newWorkspace(store);
    const claim = { endpointId: 'e1', credential: 'k1', requestHash: 'r1' };
    const keys = Array.from({ length: 5 }, (_, index) => ({
      ...claim,
      key: `${index}`,
      expiresAtMs: NOW_MS - 2 + index,
    }));
    for (const key of keys) await store.executions.accept(newExecution(), undefined, key);
    const times = [NOW_MS - KEPT_MS - 1, NOW_MS - KEPT_MS];
    for (const atMs of times) {
      const [id, email] = [`at ${atMs}`, 'ada@example.org'];
      await store.signInLinks.add({ id, email, createdAtMs: 0, expiresAtMs: atMs, usedAtMs: undefined });
      await store.mailOutbox.add({ id, to: email, subject: '', text: '', html: '', createdAtMs: atMs });
      const token = {
        ...({ id, kind: 'session', userId, workspaceId: undefined, hash: id, last4: '' } as const),
        ...{
          createdAtMs: 0,
          expiresAtMs: atMs,
          epoch: 0,
          name: undefined,
          usedAtMs: undefined,
          agentSinceMs: undefined,
          passkeyId: undefined,
        },
      };
      await store.credentials.addAccessToken(token, auditEntry('w1'));
    }
    await store.sweep(NOW_MS);
    const left = await Promise.all(keys.map((key) => store.executions.idempotent(key, 0)));
    expect(left.map((one) => one !== undefined)).toEqual([false, false, false, true, true]);
    const [gone, kept] = times.map((atMs) => `at ${atMs}`);
    expect(await store.signInLinks.find(gone ?? '')).toBeUndefined();
    expect(await store.signInLinks.find(kept ?? '')).toBeDefined();
    expect(await store.credentials.accessTokenByHash(gone ?? '')).toBeUndefined();
    expect(await store.credentials.accessTokenByHash(kept ?? '')).toBeDefined();
    expect((await store.mailOutbox.recent(10)).map(({ id }) => id)).toEqual([kept ?? '']);
  });
});
