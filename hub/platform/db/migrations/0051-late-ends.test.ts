// The migration to late ends that lock last, beside hubs and readers that go on. PostgreSQL only: SQLite has nothing to migrate.
import { expect, test } from 'bun:test';
import pg from 'pg';
import { postgresMissing, startPostgres } from '../../../../test/postgres.ts';
import { until } from '../../../../test/until.ts';
import { createStore } from '../../../build/create-store.ts';
import { executionRow } from '../../../executions/store/row.ts';
import { migrateTo } from '../fixtures/migrated-to.ts';
import { runText } from '../fixtures/query-plans.ts';
import { newExecution, newId, STORE_OPTIONS, succeeded } from '../fixtures/samples.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An hour that is over by the clock of the database. */
const HOUR_AT_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 5 * DAY_MS;
const PACK = `select svc_pack_counts('w1', '', ${HOUR_MS}, array[${HOUR_AT_MS}]::bigint[])`;
const PACKED = 'select state, durations from execution_counts_packed order by 1';

test.skipIf(postgresMissing !== undefined)(
  'a hub starts while a backup reads and a hub of the version before ends executions late, and what is packed stays right',
  async () => {
    await using server = await startPostgres({ syncs: false });
    const url = await server.createDatabase();
    const location = { kind: 'postgres', url } as const;
    await migrateTo(location, '0050-packed-counts');
    await using backup = await connected(url);
    await using before = await connected(url);
    await using other = await connected(url);
    const ids = Array.from({ length: 4 }, (_, at) => newId(HOUR_AT_MS + at));
    for (const id of ids) await before.insert(id);
    await before.end(ids[0]);
    await before.run(PACK);

    await backup.run('begin; select count(*) from executions');
    await before.run('begin');
    await before.end(ids[1]);
    const opening = createStore(location, STORE_OPTIONS);
    const waits = "select 1 from pg_locks where relation = 'executions'::regclass and not granted";
    await until(async () => (await runText(location, waits)).length > 0);
    await before.run('commit');
    await using store = await opening;
    await backup.run('commit');
    expect(await runText(location, PACKED)).toEqual([]);

    await before.run(PACK);
    expect(await runText(location, PACKED)).toEqual([{ state: 'failed', durations: '3,2' }]);
    await other.run('begin');
    await other.end(ids[2]);
    await store.executions.finish(succeeded(String(ids[3]), { durationMs: 3 }), []);
    await other.run('commit');
    expect(await runText(location, PACKED)).toEqual([]);
    await before.run(PACK);
    expect(await runText(location, PACKED)).toEqual([
      { state: 'failed', durations: '3,3' },
      { state: 'succeeded', durations: '3,1' },
    ]);
  },
  120_000,
);

async function connected(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const run = async (text: string, values: unknown[] = []) => void (await client.query(text, values));
  return {
    run: (text: string) => run(text),
    end: (id = '') => run("update executions set state = 'failed', duration_ms = 3 where id = $1", [id]),
    insert: (id: string) => {
      const row = executionRow(newExecution({ id, createdAtMs: HOUR_AT_MS }));
      const slots = Object.keys(row).map((_, at) => `$${at + 1}`);
      return run(`insert into executions (${Object.keys(row)}) values (${slots})`, Object.values(row));
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
