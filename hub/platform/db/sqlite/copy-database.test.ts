import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { backupSqlite } from './backup.ts';
import { checkFile } from './connection.ts';

const ACCOUNTS = 2_000;

/** A bank: transfers between accounts whose rows are far apart, so that each commit changes several pages. */
function bank(file: string): Database {
  const database = new Database(file, { create: true });
  database.run('PRAGMA journal_mode = WAL');
  database.run('PRAGMA wal_autocheckpoint = 0');
  database.run('PRAGMA synchronous = OFF');
  database.run(
    'create table accounts (id integer primary key, money integer not null, filler blob not null)',
  );
  database.run('create table transfers (id integer primary key, filler blob not null)');
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ACCOUNTS})`;
  database.run(`${numbers} insert into accounts select n, 100, randomblob(3000) from numbers`);
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  return database;
}

const MOMENTS = [
  ['with all of the log in the file', 'PRAGMA wal_checkpoint(PASSIVE)'],
  ['with a log that is not in the file', 'select 1'],
] as const;

for (const [name, before] of MOMENTS)
  test(`a copy is of one moment while commits and checkpoints continue: ${name}`, async () => {
    await using folder = await temporaryFolder();
    const [file, copy] = [join(folder.path, 'bank.db'), join(folder.path, 'copy.db')];
    using database = bank(file);
    const take = database.prepare('update accounts set money = money - 1 where id = ?');
    const give = database.prepare('update accounts set money = money + 1 where id = ?');
    const note = database.prepare('insert into transfers (filler) values (randomblob(1500))');
    let transfers = 0;
    const transfer = database.transaction(() => {
      take.run(1 + ((transfers * 7_919) % ACCOUNTS));
      give.run(1 + ((transfers * 104_729 + 1) % ACCOUNTS));
      note.run();
      transfers += 1;
    });
    for (let count = 0; count < 500; count += 1) transfer();
    database.query(before).get();
    const transfersBefore = transfers;
    const copying = { isDone: false };
    const copied = backupSqlite(file, copy).then(() => {
      copying.isDone = true;
    });
    while (!copying.isDone) {
      for (let count = 0; count < 20; count += 1) transfer();
      database.query('PRAGMA wal_checkpoint(PASSIVE)').get();
      await new Promise(setImmediate);
    }
    await copied;
    expect(transfers).toBeGreaterThan(transfersBefore);
    using read = new Database(copy, { readonly: true });
    expect(checkFile(read, 'full')).toEqual([]);
    const found = read
      .query<{ money: number; transfers: number }, []>(
        'select (select sum(money) from accounts) as money, (select count(*) from transfers) as transfers',
      )
      .get();
    expect(found?.money).toBe(100 * ACCOUNTS);
    expect(found?.transfers).toBeGreaterThanOrEqual(transfersBefore);
    expect(found?.transfers).toBeLessThan(transfers);
  }, 60_000);
