import { Database } from 'bun:sqlite';
import { refuse } from '@svc/core/refusal';
import type pg from 'pg';
import { createPool } from './postgres/pool.ts';

/** The number of rows of each table, by its name in PostgreSQL. */
export type RowCounts = ReadonlyMap<string, number>;

/** Referenced by foreign keys of other tables, so they are filled first. */
const FIRST = ['users', 'workspaces'];
/** Rows about the database itself. */
const LEFT_OUT = new Set(['svc_migrations', 'svc_migrations_lock', 'write_probe']);
/** The tables of the index of words, which the hubs on PostgreSQL fill again. */
const INDEX = /^output_search/;
/** Tables that have another name in PostgreSQL (migration 0019). */
const RENAMED: Readonly<Record<string, string>> = { execution_output: 'output_chunks' };
/** PostgreSQL takes at most 65,535 values in one statement. */
const MAX_VALUES = 30_000;
const MAX_ROWS = 500;
const MAX_BYTES = 4 * 1024 * 1024;

type Value = string | bigint | number | Uint8Array | null;
type Row = Readonly<Record<string, Value>>;

/**
 * Copies all rows of a SQLite file to a migrated PostgreSQL database without rows, in one transaction, and compares the number of
 * rows of each table before the commit. Nothing else may write to either of them. Refuses with `invalid_argument` if there are rows, and
 * throws if a table or a column is missing.
 */
export async function copyTables(file: string, url: string): Promise<RowCounts> {
  using source = new Database(file, { readonly: true, safeIntegers: true });
  return await onClient(url, async (client) => {
    await client.query('begin');
    // Triggers count executions when they are inserted, but the counts are copied too.
    await client.query('alter table executions disable trigger user');
    const tables = tablesOf(source);
    const { rows } = await client.query('select 1 from users limit 1');
    if (rows.length > 0)
      throw refuse('invalid_argument', 'the PostgreSQL database has data already: give an empty one');
    const targets = [...new Set(tables.map(targetOf))];
    // The migrations have written rows of their own, such as the start of the statistics.
    for (const table of targets.toReversed())
      if (await exists(client, table)) await client.query(`delete from ${table}`);
    const counts = new Map<string, number>();
    for (const table of tables) {
      const target = targetOf(table);
      const copied = await copyTable(source, client, table);
      counts.set(target, (counts.get(target) ?? 0) + copied);
    }
    await compare(client, counts);
    await client.query('alter table executions enable trigger user');
    await client.query('commit');
    return counts;
  });
}

/** Removes all rows that `copyTables` wrote. */
export async function emptyTables(url: string, counts: RowCounts): Promise<void> {
  await onClient(url, (client) => client.query(`truncate ${[...counts.keys()].join(', ')}`));
}

/** A failed transaction ends with the connection. */
async function onClient<Result>(
  url: string,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const pool = createPool(url, { max: 1, query_timeout: 0 });
  try {
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

function tablesOf(source: Database): string[] {
  const rows = source
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name",
    )
    .all();
  const names = rows.map(({ name }) => name).filter((name) => !LEFT_OUT.has(name) && !INDEX.test(name));
  return [...FIRST, ...names.filter((name) => !FIRST.includes(name))];
}

function targetOf(table: string): string {
  return RENAMED[table] ?? table;
}

async function exists(client: pg.PoolClient, table: string): Promise<boolean> {
  const { rows } = await client.query('select to_regclass($1) is not null as found', [table]);
  return (rows[0] as { found: boolean }).found;
}

/** Returns the number of rows. A table that PostgreSQL does not have must be empty. */
async function copyTable(source: Database, client: pg.PoolClient, table: string): Promise<number> {
  let count = 0;
  let batch: Row[] = [];
  let bytes = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    await insert(client, targetOf(table), batch);
    count += batch.length;
    [batch, bytes] = [[], 0];
  };
  for (const row of source.query<Row, []>(`select * from "${table}"`).iterate()) {
    batch.push(row);
    bytes += sizeOf(row);
    const isFull = batch.length * Object.keys(row).length >= MAX_VALUES || bytes >= MAX_BYTES;
    if (isFull || batch.length >= MAX_ROWS) await flush();
  }
  await flush();
  return count;
}

function sizeOf(row: Row): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  );
}

async function insert(client: pg.PoolClient, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const values: unknown[] = [];
  const places = rows.map((row) => {
    const marks = columns.map((column) => {
      const value = row[column] ?? null;
      values.push(value instanceof Uint8Array ? Buffer.from(value) : value);
      return `$${values.length}`;
    });
    return `(${marks.join(', ')})`;
  });
  const names = columns.map((column) => `"${column}"`).join(', ');
  await client.query(`insert into ${table} (${names}) values ${places.join(', ')}`, values);
}

async function compare(client: pg.PoolClient, counts: RowCounts): Promise<void> {
  for (const [table, expected] of counts) {
    if (expected === 0) continue;
    const { rows } = await client.query(`select count(*) as count from ${table}`);
    const found = Number((rows[0] as { count: unknown }).count);
    if (found !== expected)
      throw new Error(`${table} has ${found} rows in PostgreSQL and ${expected} in SQLite`);
  }
}
