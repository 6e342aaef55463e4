import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { copyFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '@svc/core/refusal';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { createStore, type Store } from '../../../build/create-store.ts';
import type { ExecutionLedger } from '../../../executions/execution-ports.ts';
import { failureOf } from '../fixtures/failure-of.ts';
import { folderOnDisk, immutableMissing, setImmutable } from '../fixtures/immutable.ts';
import { chunk, newExecution, quota, STORE_OPTIONS, succeeded } from '../fixtures/samples.ts';
import { smallDisk, smallDiskMissing } from '../fixtures/small-disk.ts';
import { openForWriting } from './connection.ts';
import type { SqliteLocation } from './open-sqlite.ts';

const IMPATIENT_MS = 50;

function open(location: SqliteLocation): Promise<Store> {
  return createStore({ kind: 'sqlite', busyTimeoutMs: IMPATIENT_MS, ...location }, STORE_OPTIONS);
}

/** A store that cannot write rejects writes, reports it in its health, and still reads. */
async function expectUnavailable(store: Store, reason: RegExp): Promise<void> {
  const execution = newExecution();
  const failure = await failureOf(store.executions.accept(execution, quota()));
  expect(failure).toBeInstanceOf(Refusal);
  expect(failure).toMatchObject({ code: 'unavailable', details: {} });
  expect(failure.message).toMatch(reason);
  expect(await store.health()).toEqual({ ok: false, reason: expect.stringMatching(reason) });
}

async function expectWorks(store: Store, used: number): Promise<void> {
  const execution = newExecution();
  expect(await store.executions.accept(execution, quota())).toEqual({ kind: 'stored' });
  expect(await store.executions.finish(succeeded(execution.id), [chunk(execution.id, 1)])).toBe(true);
  expect(await store.health()).toEqual({ ok: true });
  // A write that was refused as unavailable left nothing behind.
  expect(await store.executions.quotaUsed('w1', '2026-11')).toBe(used);
}

/** Comes to an end only when it fails. */
async function acceptOn(executions: ExecutionLedger): Promise<never> {
  for (;;) await executions.accept(newExecution(), quota());
}

function expectSound(file: string): void {
  using database = new Database(file, { readonly: true });
  expect(database.query('PRAGMA integrity_check').values()).toEqual([['ok']]);
}

test('the files are for their owner only, and at its end a store leaves one', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  const store = await open({ file });
  await expectWorks(store, 1);
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(file + suffix).mode & 0o777).toBe(0o600);
  await store[Symbol.asyncDispose]();
  expect(readdirSync(folder.path)).toEqual(['store.db']);
  expect((await failureOf(store.executions.find('x'))).message).toContain('disposed of');
});

test('a commit is on the disk when it returns', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  await using _store = await open({ file });
  using connection = openForWriting(file, IMPATIENT_MS);
  // NOTE: No kill shows it, only a power cut: after a kill the kernel still writes what it was given.
  expect(connection.query('PRAGMA synchronous').values()).toEqual([[2]]);
  expect(connection.query('PRAGMA journal_mode').values()).toEqual([['wal']]);
});

test('while another program has locked the file, nothing is written; afterwards writes continue', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  await using store = await open({ file });
  await expectWorks(store, 1);
  using other = new Database(file);
  other.run('PRAGMA busy_timeout = 10000');
  other.run('BEGIN IMMEDIATE');
  await expectUnavailable(store, /database is locked/);
  expect(await store.executions.quotaUsed('w1', '2026-11')).toBe(1);
  other.run('ROLLBACK');
  await expectWorks(store, 2);
});

test.skipIf(smallDiskMissing !== undefined)(
  `on a full disk nothing is written, not even a half; when there is room, writes continue${smallDiskMissing ? `: ${smallDiskMissing}` : ''}`,
  async () => {
    await using disk = await smallDisk(8 << 20);
    const [file, filler] = [join(disk.path, 'store.db'), join(disk.path, 'filler')];
    writeFileSync(filler, new Uint8Array(4 << 20));
    const store = await open({ file });
    const { executions } = store;
    await expectWorks(store, 1);
    const long = newExecution();
    await executions.accept(long, quota());
    let stored = 0;
    const fill = async () => {
      for (;;) {
        await executions.append([{ ...chunk(long.id, stored + 1), sse: new Uint8Array(50_000).fill(7) }]);
        stored += 1;
      }
    };
    expect(await failureOf(fill())).toMatchObject({ code: 'unavailable' });
    expect(stored).toBeGreaterThan(10);
    // Where a long one does not fit, some short ones may.
    expect(await failureOf(acceptOn(executions))).toMatchObject({ code: 'unavailable' });
    const { items } = await executions.list({ workspaceId: 'w1', limit: 100_000 });
    await expectUnavailable(store, /full/);
    expect(await executions.output(long.id, 0, 1_000)).toHaveLength(stored);
    expect(await executions.find(long.id)).toMatchObject({ lastSeq: stored, storedBytes: stored * 50_000 });

    rmSync(filler);
    await expectWorks(store, items.length + 1);
    await store[Symbol.asyncDispose]();
    expectSound(file);
  },
  30_000,
);

test.skipIf(immutableMissing !== undefined)(
  `on a read-only disk nothing is written; when it is writable, writes continue${immutableMissing ? `: ${immutableMissing}` : ''}`,
  async () => {
    await using folder = await folderOnDisk();
    const file = join(folder.path, 'store.db');
    await using store = await open({ file });
    await expectWorks(store, 1);
    // NOTE: Not the index, which is mapped into memory: the kernel ends a process that writes to such a page.
    const files = [file, `${file}-wal`];
    setImmutable(files, true);
    try {
      await expectUnavailable(store, /I\/O error|readonly/);
      await expectUnavailable(store, /readonly/);
      expect(await store.executions.quotaUsed('w1', '2026-11')).toBe(1);
    } finally {
      setImmutable(files, false);
    }
    await expectWorks(store, 2);
    expectSound(file);
  },
);

test.skipIf(immutableMissing !== undefined)(
  `data that is first read while the disk is read-only does not keep the store from writing again${immutableMissing ? `: ${immutableMissing}` : ''}`,
  async () => {
    await using folder = await folderOnDisk();
    const file = join(folder.path, 'store.db');
    await using store = await open({ file });
    await store.executions.accept(newExecution(), quota());
    setImmutable([file, `${file}-wal`], true);
    expect(await store.health()).toMatchObject({ ok: false });
    // Nothing has the file open now; what opens it next can only read its index.
    const index = `${file}-shm`;
    writeFileSync(index, '');
    setImmutable([index], true);
    try {
      expect(await store.executions.quotaUsed('w1', '2026-11')).toBe(1);
    } finally {
      setImmutable([file, `${file}-wal`, index], false);
    }
    await expectWorks(store, 2);
    expectSound(file);
  },
);

test('a file that is taken away is missed before anything is written into nothing, and found again', async () => {
  await using folder = await temporaryFolder();
  const [file, aside] = [join(folder.path, 'store.db'), join(folder.path, 'elsewhere.db')];
  const move = (from: string, to: string) => {
    for (const suffix of ['', '-wal', '-shm']) renameSync(from + suffix, to + suffix);
  };
  await using store = await open({ file });
  await expectWorks(store, 1);
  move(file, aside);
  await expectUnavailable(store, /ENOENT/);
  move(aside, file);
  await expectWorks(store, 2);
  expectSound(file);
});

test('a backup that is put in the place of the file is what is read and written from then on', async () => {
  await using folder = await temporaryFolder();
  const [file, backup] = [join(folder.path, 'store.db'), join(folder.path, 'backup.db')];
  await using store = await open({ file });
  await expectWorks(store, 1);
  await store.backup(backup);
  await expectWorks(store, 2);
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix);
  renameSync(backup, file);
  await expectWorks(store, 2);
  expectSound(file);
});

test('a file put in its place with a log of its own keeps what is only in that log', async () => {
  await using folder = await temporaryFolder();
  const [file, other] = [join(folder.path, 'store.db'), join(folder.path, 'other.db')];
  await using store = await open({ file });
  await store.executions.accept(newExecution(), quota());
  await using another = await open({ file: other });
  for (let count = 0; count < 3; count += 1) await another.executions.accept(newExecution(), quota());
  for (const suffix of ['-shm', '-wal', '']) rmSync(file + suffix);
  for (const suffix of ['-wal', '']) copyFileSync(other + suffix, file + suffix);
  await expectWorks(store, 4);
  expectSound(file);
});

/** A store whose thread can be made to die, and the threads that it had. */
async function openMortal(file: string) {
  const threads: Worker[] = [];
  const deaths: string[] = [];
  const startWorker = () => {
    const worker = new Worker(new URL('../fixtures/mortal-writer.ts', import.meta.url));
    threads.push(worker);
    return worker;
  };
  const onWriterDeath = (error: Error) => void deaths.push(String(error.cause));
  return { threads, deaths, store: await open({ file, startWorker, onWriterDeath }) };
}

test('when the writing thread dies, pending writes fail with the reason, and the next write has a new thread', async () => {
  await using folder = await temporaryFolder();
  const { store, threads, deaths } = await openMortal(join(folder.path, 'store.db'));
  await expectWorks(store, 1);
  const fatal = store.executions.accept(newExecution({ slug: 'bug before' }), quota());
  const beside = store.executions.accept(newExecution(), quota());
  for (const failure of await Promise.all([failureOf(fatal), failureOf(beside)]))
    expect(failure).toMatchObject({
      code: 'unavailable',
      message: 'the store cannot write: the thread that writes died',
      details: { maybe_stored: true },
    });
  await expectWorks(store, 2);
  expect(threads).toHaveLength(2);
  expect(deaths).toEqual([expect.stringContaining('a bug')]);
  await store[Symbol.asyncDispose]();
});

test('writes that were stored when the thread died before its answer are found, and may be repeated', async () => {
  await using folder = await temporaryFolder();
  const { store } = await openMortal(join(folder.path, 'store.db'));
  const execution = newExecution({ slug: 'bug after' });
  const failure = await failureOf(store.executions.accept(execution, quota()));
  expect(failure).toMatchObject({ code: 'unavailable', details: { maybe_stored: true } });
  expect(await store.executions.find(execution.id)).toMatchObject({ state: 'running' });
  const ending = succeeded(execution.id);
  expect(await store.executions.finish(ending, [])).toBe(true);
  expect(await store.executions.quotaUsed('w1', '2026-11')).toBe(1);
  await store[Symbol.asyncDispose]();
});

test('a folder that is not there is refused at the start', async () => {
  expect(await failureOf(open({ file: '/no/such/folder/store.db' }))).toMatchObject({ code: 'unavailable' });
});

test('a file that is not a database is refused, and left unchanged', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  writeFileSync(file, 'not a database, but long enough to be taken for one '.repeat(100));
  const failure = await failureOf(open({ file }));
  expect(failure.message).toContain('file is not a database');
  expect(statSync(file).size).toBe(5_200);
});
