// While hubs are upgraded one after the other, those of the version before go on with the schema of the new one (CONTRIBUTING.md).
import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { Kysely, sql } from 'kysely';
import { BunSqliteDialect } from '../sqlite/dialect.ts';
import type { ColumnTypes } from './column-types.ts';
import { MIGRATIONS } from './migrate.ts';

const TYPES: ColumnTypes = { text: sql`text`, bytes: sql`blob`, clustered: sql`without rowid` };

/** Before this one is the initial schema. */
const SINCE = '0016-tokens-and-grants';

/** The parts of the schema that an older program depends on. */
const SAYS_SO = /-needs-\d{4}$/;

interface Column {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

interface Table {
  readonly columns: ReadonlyMap<string, Column>;
  /** The columns that are unique together, by the name of the index. */
  readonly unique: ReadonlyMap<string, readonly string[]>;
}

type Schema = ReadonlyMap<string, Table>;

function schemaOf(database: Database): Schema {
  const rows = <Row>(text: string, ...values: string[]) => database.query(text).all(...values) as Row[];
  const tables = rows<{ name: string }>("select name from sqlite_master where type = 'table'");
  return new Map(
    tables.map(({ name }) => {
      const columns = rows<Column>('select * from pragma_table_info(?)', name);
      const indexes = rows<{ name: string }>(
        'select name from pragma_index_list(?) where "unique" = 1',
        name,
      );
      const unique = indexes.map(({ name: index }): [string, string[]] => [
        index,
        rows<{ name: string }>('select name from pragma_index_info(?)', index).map((column) => column.name),
      ]);
      return [name, { columns: new Map(columns.map((one) => [one.name, one])), unique: new Map(unique) }];
    }),
  );
}

/** The changes that break a program with the earlier schema. */
function broken(before: Schema, after: Schema): string[] {
  return [...before].flatMap(([name, old]) => {
    const now = after.get(name);
    if (now === undefined) return [`table ${name} is gone`];
    const changed = [...old.columns].filter(
      ([column, was]) => JSON.stringify(now.columns.get(column)) !== JSON.stringify({ ...was }),
    );
    const added = [...now.columns.values()].filter((column) => !old.columns.has(column.name));
    const wanted = added.filter(({ notnull, dflt_value }) => notnull === 1 && dflt_value === null);
    const tighter = [...now.unique].filter(
      ([index, columns]) => !old.unique.has(index) && columns.every((column) => old.columns.has(column)),
    );
    return [
      ...changed.map(([column]) => `${name}.${column} is gone or another`),
      ...wanted.map((column) => `${name}.${column.name} has to be written`),
      ...tighter.map(([index]) => `${index} refuses rows of ${name} that were allowed`),
    ];
  });
}

test('a migration only adds: a program of the version before can read and write everything that it uses', async () => {
  using database = new Database(':memory:');
  const kysely = new Kysely<unknown>({ dialect: new BunSqliteDialect(database) });
  const found: string[] = [];
  for (const [name, up] of Object.entries(MIGRATIONS)) {
    const before = schemaOf(database);
    await up(kysely, TYPES);
    if (name < SINCE || SAYS_SO.test(name)) continue;
    found.push(...broken(before, schemaOf(database)).map((what) => `${name}: ${what}`));
  }
  expect(found).toEqual([]);
});

test.each([
  ['drop table kept', 'table kept is gone'],
  ['alter table kept drop column note', 'kept.note is gone or another'],
  ['alter table kept rename column note to remark', 'kept.note is gone or another'],
  ['create unique index one_note on kept (note)', 'one_note refuses rows of kept that were allowed'],
  [
    'drop table kept; create table kept (id text primary key, note text, more text not null)',
    'kept.more has to be written',
  ],
])('%s is found', (change, what) => {
  using database = new Database(':memory:');
  database.run('create table kept (id text primary key, note text)');
  const before = schemaOf(database);
  database.run(change);
  expect(broken(before, schemaOf(database))).toContain(what);
});

test.each([
  'alter table kept add column more text',
  "alter table kept add column more text not null default ''",
  'create index by_note on kept (note)',
  'alter table kept add column more text; create unique index one_more on kept (more)',
  'create table another (id text primary key)',
])('%s is no harm', (change) => {
  using database = new Database(':memory:');
  database.run('create table kept (id text primary key, note text)');
  const before = schemaOf(database);
  database.run(change);
  expect(broken(before, schemaOf(database))).toEqual([]);
});
