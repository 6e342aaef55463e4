// An upgrade asks no question: what was there before keeps its secrets (decision 58, agent tokens and secret grants).
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { Kysely, sql } from 'kysely';
import { BunSqliteDialect } from '../sqlite/dialect.ts';
import type { ColumnTypes } from './column-types.ts';
import { MIGRATIONS } from './migrate.ts';

const TYPES: ColumnTypes = { text: sql`text`, bytes: sql`blob`, clustered: sql`without rowid` };
const SELF = '0016-tokens-and-grants';

/** A row with these values, and something in every other column that needs a value. */
function insert(database: Database, table: string, values: Readonly<Record<string, string | number>>): void {
  const columns = database.query('select * from pragma_table_info(?)').all(table) as {
    name: string;
    notnull: number;
    dflt_value: string | null;
  }[];
  const needed = columns.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
  const row = { ...Object.fromEntries(needed.map(({ name }) => [name, '1'])), ...values };
  const names = Object.keys(row);
  database
    .query(`insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`)
    .run(...Object.values(row));
}

test('a secret is granted to the existing tokens and endpoints of its own workspace', async () => {
  using database = new Database(':memory:');
  database.run('pragma foreign_keys = off');
  const kysely = new Kysely<unknown>({ dialect: new BunSqliteDialect(database) });
  for (const [name, up] of Object.entries(MIGRATIONS)) if (name < SELF) await up(kysely, TYPES);
  for (const name of ['w1', 'w2', 'w3', 'w4'])
    insert(database, 'secrets', { workspace_id: name, name: 'TOKEN', created_at_ms: 10, updated_at_ms: 20 });
  insert(database, 'agent_tokens', { id: 't1', hash: 't1', workspace_id: 'w1', created_at_ms: 30 });
  insert(database, 'agent_tokens', { id: 't2', hash: 't2', workspace_id: 'w2', created_at_ms: 15 });
  insert(database, 'endpoints', { id: 'e3', workspace_id: 'w3', slug: 'e3', updated_at_ms: 40 });
  await MIGRATIONS[SELF]?.(kysely, TYPES);
  const rows = database.query('select workspace_id, granted_at_ms from secrets order by 1').all();
  expect(rows).toEqual([
    { workspace_id: 'w1', granted_at_ms: 30 },
    { workspace_id: 'w2', granted_at_ms: 20 },
    { workspace_id: 'w3', granted_at_ms: 40 },
    { workspace_id: 'w4', granted_at_ms: 20 },
  ]);
});
