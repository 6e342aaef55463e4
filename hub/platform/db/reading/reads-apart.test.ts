// Decision 62: a read that takes long delays no call. Shown by order: a call begins and ends while the read is in progress.
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { sql } from 'kysely';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { PublishedEvents } from '../../../alerts/store/published-events.ts';
import { StoredLedger } from '../../../executions/store/execution-store.ts';
import { EventStream } from '../../event-stream.ts';
import type { Database, OpenDatabase } from '../database.ts';
import { failureOf } from '../fixtures/failure-of.ts';
import { newExecution, quota, succeeded } from '../fixtures/samples.ts';
import { onBothDatabases } from '../fixtures/stores.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { publishing } from '../publishing-database.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import { once, type Query } from '../unit/precompile.ts';

/** A query that counts this far without a table: seconds of work. */
function counting(database: Pick<Database, 'build'>, to: number): Query<{ most: number }> {
  const text = sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(to)}) select max(n) as most from numbers`;
  return once({ compile: () => text.compile(database.build) }) as Query<{ most: number }>;
}

const LONG = 3_000_000;

function ledgerOf(opened: OpenDatabase): StoredLedger {
  const database = publishing(opened, new EventStream(() => undefined));
  return new StoredLedger(database, new PublishedEvents(database));
}

onBothDatabases(({ newLocation }) => {
  test('a call is accepted, ended and read again while a read is in progress', async () => {
    const location = await newLocation();
    await using database =
      location.kind === 'sqlite' ? await openSqlite(location) : await openPostgres(location.url);
    const ledger = ledgerOf(database);
    // Threads start with what they are asked first.
    await database.reader.rows(counting(database, 1));
    await ledger.accept(newExecution(), quota());
    const read = { isDone: false, callsMeanwhile: 0 };
    const reading = database.reader.rows(counting(database, LONG)).then(() => {
      read.isDone = true;
    });
    while (!read.isDone) {
      const { id } = newExecution();
      await ledger.accept(newExecution({ id }), quota());
      await ledger.finish(succeeded(id), []);
      expect(await ledger.find(id)).toMatchObject({ state: 'succeeded' });
      if (!read.isDone) read.callsMeanwhile += 1;
    }
    await reading;
    expect(read.callsMeanwhile).toBeGreaterThan(0);
  }, 120_000);

  test('a read sees what was acknowledged before it', async () => {
    const location = await newLocation();
    await using database =
      location.kind === 'sqlite' ? await openSqlite(location) : await openPostgres(location.url);
    const ledger = ledgerOf(database);
    for (let count = 1; count <= 50; count += 1) {
      await ledger.accept(newExecution(), quota());
      expect((await ledger.list({ workspaceId: 'w1', limit: 100 })).items).toHaveLength(count);
    }
  }, 60_000);

  test('a query that is wrong is a bug, and the next read works', async () => {
    const location = await newLocation();
    await using database =
      location.kind === 'sqlite' ? await openSqlite(location) : await openPostgres(location.url);
    const wrong = { sql: 'select one from nowhere', values: [], isOnce: true } as const;
    expect((await failureOf(database.reader.rows(wrong))).message).toContain('nowhere');
    expect(await database.reader.rows(counting(database, 3))).toEqual([{ most: 3 }]);
  }, 60_000);
});

test('when the reading thread dies, its reads fail with the reason, and the next read has a new thread', async () => {
  await using folder = await temporaryFolder();
  const threads: Worker[] = [];
  const deaths: string[] = [];
  await using database = await openSqlite({
    file: join(folder.path, 'store.db'),
    startReadWorker: () => {
      const worker = new Worker(new URL('../sqlite/read-worker.ts', import.meta.url));
      threads.push(worker);
      return worker;
    },
    onWriterDeath: (error) => void deaths.push(error.message),
  });
  expect(await database.reader.rows(counting(database, 2))).toEqual([{ most: 2 }]);
  const reading = failureOf(database.reader.rows(counting(database, LONG)));
  threads[0]?.terminate();
  expect(await reading).toMatchObject({
    code: 'unavailable',
    message: 'the store cannot be read: the thread that reads died',
  });
  expect(await database.reader.rows(counting(database, 2))).toEqual([{ most: 2 }]);
  expect([threads.length, deaths]).toEqual([2, ['the thread that reads died']]);
});
