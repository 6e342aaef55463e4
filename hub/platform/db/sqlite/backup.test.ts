import { expect, test } from 'bun:test';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { createStore } from '../../../build/create-store.ts';
import { failureOf } from '../fixtures/failure-of.ts';
import { chunk, newExecution, quota, STORE_OPTIONS, succeeded } from '../fixtures/samples.ts';

const open = (file: string) => createStore({ kind: 'sqlite', file }, STORE_OPTIONS);

test('a backup during calls is whole: everything from before it, and no half', async () => {
  await using folder = await temporaryFolder();
  const [file, copy] = [join(folder.path, 'store.db'), join(folder.path, 'copy.db')];
  await using store = await open(file);
  const calls = { on: true, made: 0 };
  const call = async () => {
    while (calls.on) {
      const { id } = newExecution();
      await store.executions.accept(newExecution({ id }), quota());
      await store.executions.finish(succeeded(id), [chunk(id, 1), chunk(id, 2)]);
      calls.made += 1;
    }
  };
  const callers = Array.from({ length: 8 }, call);
  while (calls.made < 100) await store.health();
  const [madeBefore, usedBefore] = [calls.made, await store.executions.quotaUsed('w1', '2026-11')];
  await store.backup(copy);
  const usedAfter = await store.executions.quotaUsed('w1', '2026-11');
  expect(calls.made).toBeGreaterThan(madeBefore);
  calls.on = false;
  await Promise.all(callers);

  await using restored = await open(copy);
  const { items } = await restored.executions.list({ workspaceId: 'w1', limit: 100_000 });
  expect(items.length).toBeGreaterThanOrEqual(usedBefore);
  expect(items.length).toBeLessThanOrEqual(usedAfter);
  expect(await restored.executions.quotaUsed('w1', '2026-11')).toBe(items.length);
  for (const { id, state, lastSeq } of items) {
    const output = await restored.executions.output(id, 0, 10);
    expect({ state, lastSeq, output }).toEqual(
      state === 'succeeded'
        ? { state, lastSeq: 2, output: [chunk(id, 1), chunk(id, 2)] }
        : { state: 'running', lastSeq: 0, output: [] },
    );
  }
}, 30_000);

test('a backup is for its owner only, and leaves nothing else behind', async () => {
  await using folder = await temporaryFolder();
  await using store = await open(join(folder.path, 'store.db'));
  await store.backup(join(folder.path, 'copy.db'));
  expect(statSync(join(folder.path, 'copy.db')).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
});

test('a backup overwrites nothing, and one that fails leaves nothing', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  await using store = await open(file);
  const { size } = statSync(file);
  expect(await failureOf(store.backup(file))).toMatchObject({ code: 'invalid_argument' });
  expect(statSync(file).size).toBe(size);
  const nowhere = join(folder.path, 'missing', 'copy.db');
  expect(await failureOf(store.backup(nowhere))).toMatchObject({ code: 'unavailable' });
  expect(existsSync(nowhere)).toBe(false);
});
