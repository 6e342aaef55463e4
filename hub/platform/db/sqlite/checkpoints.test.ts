import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { createStore } from '../../../build/create-store.ts';
import { chunk, newExecution, STORE_OPTIONS } from '../fixtures/samples.ts';
import { Checkpoints } from './checkpoints.ts';

/** How many pages of 4 KB the log holds that are not in the file. */
function pagesLeft(database: Database): number {
  const row = database.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').get();
  return (row?.log ?? 0) - (row?.checkpointed ?? 0);
}

test('the log is copied and restarted while calls write, and again after a reader that kept it open', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  await using store = await createStore({ kind: 'sqlite', file }, STORE_OPTIONS);
  const { id } = newExecution();
  await store.executions.accept(newExecution({ id }));
  let seq = 0;
  const writeUntil = async (isDone: () => boolean) => {
    for (let count = 0; count < 20_000 && !isDone(); count += 1)
      await store.executions.append(Array.from({ length: 8 }, () => chunk(id, ++seq, 'x'.repeat(60_000))));
    expect(isDone()).toBe(true);
  };
  using watcher = new Database(file);
  const longest = { pages: 0 };
  const begunAnew = () => {
    const pages = pagesLeft(watcher);
    const isAnew = pages < longest.pages / 2;
    longest.pages = Math.max(longest.pages, pages);
    return isAnew;
  };
  await writeUntil(begunAnew);
  // About the length at which it is copied, and what was written meanwhile.
  expect(longest.pages).toBeLessThan(16_000);

  // Like a backup: its moment keeps the log from being copied.
  using backup = new Database(file, { readonly: true });
  backup.run('BEGIN');
  backup.query('select count(*) from executions').get();
  await writeUntil(() => pagesLeft(watcher) > 27_000);
  backup.run('COMMIT');
  const bytesOfLog = () => statSync(`${file}-wal`).size;
  const [longestBytes, cuts] = [bytesOfLog(), new Set<number>()];
  await writeUntil(() => {
    cuts.add(bytesOfLog());
    return bytesOfLog() <= 64 * 1024 * 1024;
  });
  // Its file becomes shorter step by step, so that no commit waits for all of it.
  expect(longestBytes).toBeGreaterThan(100 * 1024 * 1024);
  const steps = [...cuts].sort((a, b) => b - a);
  for (const [index, bytes] of steps.entries())
    expect((steps[index - 1] ?? bytes) - bytes).toBeLessThanOrEqual(32 * 1024 * 1024);
  expect(pagesLeft(watcher)).toBeLessThan(16_000);
}, 120_000);

test('failures are counted, and reported when they begin', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  const reported: string[] = [];
  const checkpoints = new Checkpoints({
    file,
    busyTimeoutMs: 50,
    onFailure: (reason) => void reported.push(reason),
  });
  let pages = 0;
  const checkpoint = async () => {
    pages += 4_000;
    checkpoints.onLog(pages);
    await checkpoints.close();
  };
  // There is no such file yet.
  await checkpoint();
  await checkpoint();
  expect([checkpoints.failures, reported.length]).toEqual([2, 1]);
  expect(reported[0]).toContain('unable to open');

  new Database(file, { create: true }).close();
  await checkpoint();
  expect([checkpoints.failures, reported.length]).toEqual([2, 1]);

  rmSync(file);
  await checkpoint();
  expect([checkpoints.failures, reported.length]).toEqual([3, 2]);
  await checkpoints.end();
}, 60_000);
