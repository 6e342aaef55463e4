// The page cache of the connection that writes is freed when the hub is idle.
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { until } from '../../../../test/until.ts';
import { WriteConnection } from './write-connection.ts';

const MIB = 1024 * 1024;
const BATCHES = 48;

const residentMiB = () => process.memoryUsage.rss() / MIB;

test('frees the page cache with the first batch after a pause', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  using database = new Database(file, { create: true });
  database.run('PRAGMA journal_mode = WAL');
  database.run('CREATE TABLE pieces (bytes BLOB)');
  let nowMs = 0;
  const connection = new WriteConnection(file, 1_000, () => nowMs);
  const text = { sql: 'INSERT INTO pieces VALUES (?)' };
  const bytes = new Uint8Array(MIB);
  const commit = () => connection.commit({ newTexts: [{ number: 0, text }], units: [[[0, [bytes]]]] });
  commit();
  const emptyMiB = residentMiB();
  for (let batch = 0; batch < BATCHES; batch += 1) commit();
  const fullMiB = residentMiB();
  // Without a pause the pages stay.
  expect(fullMiB).toBeGreaterThan(emptyMiB + BATCHES / 2);
  nowMs += 10_000;
  commit();
  await until(() => residentMiB() < fullMiB - BATCHES / 2);
  connection.close();
});
