import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * The index of words in stored output (decision 77, search in output). A hub fills it behind the executions, so that no call waits
 * for it. Hubs of the version before do not know the index; a newer hub also indexes what they run. A trigger removes entries with
 * their execution, whichever hub removes it.
 */
export async function outputSearch(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const isSqlite = database.getExecutor().adapter instanceof SqliteAdapter;
  const { schema } = database;
  // One row, which the first hub that indexes makes. Executions above `down_to` and up to `up_to` are indexed or pending.
  await schema
    .createTable('output_search_marks')
    .addColumn('id', 'bigint', (it) => it.notNull().primaryKey())
    .addColumn('up_to', text, (it) => it.notNull())
    .addColumn('down_to', text, (it) => it.notNull())
    .execute();
  // Executions that had not ended when a mark passed them.
  await schema
    .createTable('output_search_pending')
    .addColumn('execution_id', text, (it) => it.notNull().primaryKey())
    .execute();
  await (isSqlite ? indexOnSqlite(database) : indexOnPostgres(database));
}

/**
 * The full-text index holds no text and no positions: only which document has which word. Document numbers begin with the creation
 * time, so that the newest come first.
 */
async function indexOnSqlite(database: Kysely<unknown>): Promise<void> {
  for (const statement of [
    `create table output_search_documents (document integer primary key, execution_id text not null unique)`,
    `create virtual table output_search using fts5(words, content='', contentless_delete=1, detail='none', tokenize="ascii tokenchars '_:'")`,
    `create trigger output_search_removed after delete on executions begin
       delete from output_search where rowid = (select document from output_search_documents where execution_id = old.id);
       delete from output_search_documents where execution_id = old.id;
       delete from output_search_pending where execution_id = old.id;
     end`,
  ])
    await sql.raw(statement).execute(database);
}

async function indexOnPostgres(database: Kysely<unknown>): Promise<void> {
  for (const statement of [
    `create table output_search (execution_id text collate "C" primary key, words tsvector not null)`,
    `create index output_search_words on output_search using gin (words)`,
    `create function svc_output_search_removed() returns trigger language plpgsql as $$ begin
       delete from output_search where execution_id = old.id;
       delete from output_search_pending where execution_id = old.id;
       return null;
     end $$`,
    `create trigger output_search_removed after delete on executions for each row execute function svc_output_search_removed()`,
  ])
    await sql.raw(statement).execute(database);
}
