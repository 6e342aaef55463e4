// Commits shorten the file of the write-ahead log in steps, also when another connection has copied the log before. Reading its length fails no
// commit.
import { Database, SQLiteError } from 'bun:sqlite';
import { expect, spyOn, test } from 'bun:test';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { WriteConnection } from './write-connection.ts';

const MIB = 1024 * 1024;
const LONGEST_STEP_BYTES = 32 * MIB;
const SHORTEST_BYTES = 64 * MIB;

async function openedFile() {
  const folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  // It stays open, so that the log stays when the other connection closes.
  const other = new Database(file, { create: true });
  other.run('PRAGMA journal_mode = WAL');
  other.run('PRAGMA wal_autocheckpoint = 0');
  other.run('create table pieces (bytes blob)');
  const connection = new WriteConnection(file, 1_000);
  const text = { sql: 'insert into pieces values (zeroblob(?))' };
  const write = (bytes: number, isCheckpoint = false) => {
    const newTexts = [{ number: 1, text }];
    const { kind } = connection.commit({ newTexts, units: [[[1, [bytes]]]] }, isCheckpoint);
    expect(kind).toBe('committed');
    return statSync(`${file}-wal`).size;
  };
  return {
    other,
    write,
    /** As the thread of the checkpoints does. */
    copyLog: () => void other.query('PRAGMA wal_checkpoint(PASSIVE)').all(),
    grow(toBytes: number) {
      while (write(2 * MIB) < toBytes);
      return write(1);
    },
    async [Symbol.asyncDispose]() {
      connection.close();
      other.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test('a commit that restarts the log by chance leaves its file, and those with a checkpoint shorten it by a step each', async () => {
  await using file = await openedFile();
  const longest = file.grow(140 * MIB);
  file.copyLog();
  expect(file.write(1)).toBe(longest);
  const sizes = Array.from({ length: 4 }, () => file.write(1, true));
  expect(sizes).toEqual([
    longest - LONGEST_STEP_BYTES,
    longest - 2 * LONGEST_STEP_BYTES,
    SHORTEST_BYTES,
    SHORTEST_BYTES,
  ]);
}, 60_000);

test('a log that has grown after a checkpoint is not shortened by more than a step', async () => {
  await using file = await openedFile();
  file.grow(100 * MIB);
  // A reader keeps the next commit from restarting the log.
  file.other.run('BEGIN');
  file.other.query('select count(*) from pieces').get();
  file.write(1, true);
  const longest = file.grow(140 * MIB);
  file.other.run('COMMIT');
  file.copyLog();
  expect(file.write(1)).toBe(longest);
  expect(file.write(1, true)).toBe(longest - LONGEST_STEP_BYTES);
}, 60_000);

test('a batch is reported as committed also when the length of the log cannot be read', async () => {
  await using file = await openedFile();
  using queries = spyOn(Database.prototype, 'query').mockImplementation(() => {
    throw Object.assign(Object.create(SQLiteError.prototype), {
      code: 'SQLITE_IOERR',
      message: 'disk I/O error',
    });
  });
  // `write` expects it of each of them. The length is read with some of them only.
  for (let batch = 0; batch < 40; batch += 1) file.write(1);
  expect(queries).toHaveBeenCalled();
  queries.mockRestore();
  expect(file.other.query('select count(*) as count from pieces').get()).toEqual({ count: 40 });
});
