// The page cache of the connection that writes is freed when the hub is idle.
import { Database } from 'bun:sqlite';
import { expect, spyOn, test } from 'bun:test';
import { join } from 'node:path';
import { temporaryFolder } from '../../../../test/temporary-folder.ts';
import { WriteConnection } from './write-connection.ts';

const PROGRAM = join(import.meta.dirname, '../fixtures/idle-writer.ts');

/** In MiB, except for the time. */
type Figures = Record<'empty' | 'full' | 'idle' | 'keptMs', number>;

test('it is freed some seconds after the last use, whatever heartbeats and checks of its health an idle hub writes', async () => {
  await using folder = await temporaryFolder();
  await using child = Bun.spawn([process.execPath, PROGRAM, folder.path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { empty, full, idle, keptMs } = JSON.parse(await new Response(child.stdout).text()) as Figures;
  expect(full).toBeGreaterThan(empty + 24);
  expect(idle).toBeLessThan(full - 24);
  expect(keptMs).toBeGreaterThan(4_500);
}, 60_000);

test('a batch of calls delays the release of the cache, which happens once', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'store.db');
  using database = new Database(file, { create: true });
  database.run('PRAGMA journal_mode = WAL');
  database.run('CREATE TABLE pieces (n INTEGER)');
  let nowMs = 0;
  const connection = new WriteConnection(file, 1_000, () => nowMs);
  using _ = { [Symbol.dispose]: () => connection.close() };
  const newTexts = [
    { number: 0, text: { sql: 'INSERT INTO pieces VALUES (?)' } },
    { number: 1, text: { sql: 'UPDATE pieces SET n = ?', periodic: true as const } },
  ];
  const commit = (...numbers: number[]) =>
    connection.commit({ newTexts, units: numbers.map((number) => [[number, [1]]] as const) });
  using runs = spyOn(Database.prototype, 'run');
  const freed = () => runs.mock.calls.filter(([text]) => text === 'PRAGMA shrink_memory').length;
  const after = (ms: number) => {
    nowMs += ms;
    return [connection.freeIdleCache(), freed()];
  };
  commit(1);
  expect(after(60_000)).toEqual([undefined, 0]);
  commit(1, 0);
  expect(after(3_000)).toEqual([2_000, 0]);
  commit(1);
  expect(after(1_000)).toEqual([1_000, 0]);
  commit(0);
  expect(after(4_000)).toEqual([1_000, 0]);
  expect(after(1_000)).toEqual([undefined, 1]);
  commit(1);
  expect(after(60_000)).toEqual([undefined, 1]);
});
