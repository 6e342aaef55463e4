import { type SQLQueryBindings, Database as SqliteFile } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import pg from 'pg';
import type { ExecutionFilter } from '../../engine/ports/executions.ts';
import { ToldEvents } from '../alerts/told-events.ts';
import type { StoreLocation } from '../create-store.ts';
import type { Database } from '../database.ts';
import { onBothDatabases } from '../fixtures/stores.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { Retention } from '../retention.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import type { Query } from '../unit/precompile.ts';
import { cursorAfter } from './cursor.ts';
import { StoredLedger } from './ledger.ts';

type Row = Record<string, unknown>;

/** Runs a text on a database beside the store that has it open. */
async function run(location: StoreLocation, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  if (location.kind === 'sqlite') {
    using file = new SqliteFile(location.file);
    return file.query<Row, SQLQueryBindings[]>(text).all(...(values as SQLQueryBindings[]));
  }
  const client = new pg.Client({ connectionString: location.url });
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
}

const ROWS = 30_000;

/** Executions of 20 workspaces in the order of their ids: one in a hundred failed, and six still run. */
const FILL = (() => {
  const values = {
    id: "'019a0000-0000-7000-8000-' || (100000000000 + n)",
    workspace_id: "'w' || (n % 20)",
    slug: "'s' || (n % 7)",
    caller_id: "'k' || (n % 3)",
    hub_id: "'h' || (n % 2)",
    state: "case when n % 5000 = 1 then 'running' when n % 100 < 1 then 'failed' else 'succeeded' end",
    ...{
      endpoint_id: "'e'",
      definition_hash: "'d'",
      trigger: "'call'",
      caller_kind: "'api_key'",
      args: "'{}'",
    },
    ...{
      asynchronous: '0',
      timeout_sec: '60',
      created_at_ms: 'n',
      late: '0',
      stored_bytes: '0',
      last_seq: '0',
    },
  };
  const columns = Object.keys(values).map((column) => `"${column}"`);
  const numbers = `with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})`;
  return `insert into executions (${columns}) ${numbers} select ${Object.values(values)} from numbers`;
})();

/** The steps that a database would take for a query, without its figures. */
async function planOf(location: StoreLocation, { sql, values }: Query<unknown>): Promise<string> {
  const isSqlite = location.kind === 'sqlite';
  const explain = isSqlite ? 'explain query plan' : 'explain (costs off)';
  const rows = await run(location, `${explain} ${sql}`, values);
  return rows.map((row) => row[isSqlite ? 'detail' : 'QUERY PLAN']).join('\n');
}

/** All queries that read, as a ledger with so much in it is asked them. */
async function asked(
  location: StoreLocation,
  ask: (database: Database) => Promise<void>,
): Promise<Query<unknown>[]> {
  const opening = location.kind === 'sqlite' ? openSqlite(location) : openPostgres(location.url);
  await using database = await opening;
  await run(location, FILL);
  if (location.kind === 'postgres') await run(location, 'analyze');
  const queries: Query<unknown>[] = [];
  await ask({
    build: database.build,
    commit: (unit) => database.commit(unit),
    rows: (query) => {
      queries.push(query);
      return database.rows(query);
    },
  });
  return queries;
}

onBothDatabases(({ newLocation }) => {
  test('every way to list executions follows an index, newest first', async () => {
    const location = await newLocation();
    const filters: [filter: Partial<ExecutionFilter>, index: string][] = [
      [{}, 'executions_by_workspace_id_id'],
      [{ slug: 's1' }, 'executions_by_workspace_id_slug_id'],
      [{ state: 'failed' }, 'executions_unhappy'],
      [{ state: 'timed_out' }, 'executions_unhappy'],
      [{ state: 'running' }, 'executions_unfinished'],
      [{ state: 'succeeded' }, 'executions_by_workspace_id_id'],
      [{ callerId: 'k1' }, 'executions_by_workspace_id_caller_id_id'],
    ];
    const cursor = cursorAfter('019a0000-0000-7000-8000-100000020000');
    const queries = await asked(location, async (database) => {
      const ledger = new StoredLedger(database, new ToldEvents(database));
      for (const [filter] of filters) {
        await ledger.list({ workspaceId: 'w1', limit: 20, ...filter });
        await ledger.list({ workspaceId: 'w1', limit: 20, ...filter, cursor });
      }
    });
    expect(queries).toHaveLength(2 * filters.length);
    for (const [at, query] of queries.entries()) {
      const plan = await planOf(location, query);
      expect(plan).not.toMatch(/SCAN|TEMP B-TREE|Seq Scan/);
      // PostgreSQL may choose to go back from the newest of all, where one in 20 is of the workspace.
      const [, index] = filters[Math.floor(at / 2)] ?? [];
      expect(plan).toMatch(new RegExp(`${index}\\b|Index Scan Backward using executions_pkey`));
    }
  }, 60_000);

  test('what is unfinished is found without looking at what has ended', async () => {
    const location = await newLocation();
    const queries = await asked(location, async (database) => {
      const ledger = new StoredLedger(database, new ToldEvents(database));
      expect(await ledger.owners()).toEqual(['h1']);
      expect(await ledger.unfinished('h1')).toHaveLength(6);
      expect(await ledger.queuedElsewhere('h2', 10)).toEqual([]);
    });
    for (const query of queries) expect(await planOf(location, query)).toContain('executions_unfinished');
  }, 60_000);

  test('a sweep goes from the oldest id on, and stops where it is told to', async () => {
    const location = await newLocation();
    const queries = await asked(location, async (database) => {
      await new Retention(database).sweep(0);
    });
    expect(queries).toHaveLength(1);
    for (const query of queries)
      expect(await planOf(location, query)).toMatch(
        /^SEARCH executions USING PRIMARY KEY \(id<\?\)$|Index Scan using executions_pkey/,
      );
  }, 60_000);
});
