// Decision 62: no statement that the store prepares reads all records, however many there are.
import { Database as SqliteFile } from 'bun:sqlite';
import { expect, spyOn, test } from 'bun:test';
import { DefaultQueryCompiler } from 'kysely';
import pg from 'pg';
import { STORE_OPTIONS } from '../platform/db/fixtures/samples.ts';
import { onBothDatabases } from '../platform/db/fixtures/stores.ts';
import { createStore, type StoreLocation } from './create-store.ts';

/** The tables that grow with each execution. */
const GROWING = [
  'executions',
  'execution_output',
  'output_chunks',
  'output_search',
  'output_search_documents',
  'approvals',
  'artifacts',
  'pipeline_runs',
  'pipeline_nodes',
];
/** Indexes of records that have not ended are short. */
const SHORT = /_(unfinished|pending|awaiting|running|uploading)$/;

/** The texts of the statements that a store prepares when it opens. */
async function preparedTexts(location: StoreLocation): Promise<string[]> {
  // The migrations have statements of their own.
  await (await createStore(location, STORE_OPTIONS))[Symbol.asyncDispose]();
  using compiling = spyOn(DefaultQueryCompiler.prototype, 'compileQuery');
  await using _ = await createStore(location, STORE_OPTIONS);
  return [...new Set(compiling.mock.results.map(({ value }) => (value as { readonly sql: string }).sql))];
}

/** Those that go through a growing table, or a long index of one, from its beginning to its end. */
function readingAll(location: StoreLocation, texts: readonly string[]): Promise<string[]> | string[] {
  return location.kind === 'sqlite' ? allOnSqlite(location.file, texts) : allOnPostgres(location.url, texts);
}

/** The growing tables, and the other names that a text gives them: SQLite uses those in its plans. */
function growingIn(text: string): string[] {
  const named = [...text.matchAll(/"?(\w+)"? as "?(\w+)"?/g)];
  return [
    ...GROWING,
    ...named.flatMap(([, table = '', name = '']) => (GROWING.includes(table) ? [name] : [])),
  ];
}

function allOnSqlite(path: string, texts: readonly string[]): string[] {
  using file = new SqliteFile(path);
  return texts.filter((text) => {
    const scan = new RegExp(`^SCAN (${growingIn(text).join('|')})\\b(?: USING (?:COVERING )?INDEX (\\w+))?`);
    using explained = file.prepare<{ detail: string }, null[]>(`explain query plan ${text}`);
    const steps = explained.all(...Array.from({ length: explained.paramsCount }, () => null));
    return steps.some(({ detail }) => {
      const [isScan, , index = ''] = scan.exec(detail) ?? [];
      return isScan !== undefined && !SHORT.test(index);
    });
  });
}

interface Step {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Step[];
}

/** Many executions, of which none is pending: their number decides the order in which they are joined. */
const FILL = `insert into executions (id, workspace_id, endpoint_id, slug, definition_hash, state, "trigger", caller_kind, args,
    hub_id, asynchronous, timeout_sec, created_at_ms, late, stored_bytes, last_seq)
  select 'id' || n, 'w' || n % 20, 'e', 's', 'd', 'succeeded', 'call', 'api_key', '{}', 'h', 0, 60, n, 0, 0, 0
  from generate_series(1, 5000) as n`;

/** The database does not know the values. It reads a whole table, or joins whole tables, only where it has no index to use. */
async function allOnPostgres(url: string, texts: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found: string[] = [];
  try {
    await client.query(
      `set session_replication_role = replica; ${FILL}; analyze executions, output_search_pending`,
    );
    for (const setting of ['enable_seqscan', 'enable_mergejoin', 'enable_hashjoin'])
      await client.query(`set ${setting} = off`);
    await client.query('set plan_cache_mode = force_generic_plan');
    for (const text of texts) {
      await client.query(`prepare explained as ${text}`);
      const count = new Set(text.match(/\$\d+/g)).size;
      const values = count === 0 ? '' : `(${Array.from({ length: count }, () => 'null')})`;
      const { rows } = await client.query<{ 'QUERY PLAN': readonly { readonly Plan: Step }[] }>(
        `explain (format json) execute explained${values}`,
      );
      await client.query('deallocate explained');
      if (rows.some((row) => row['QUERY PLAN'].some(({ Plan }) => readsAll(Plan)))) found.push(text);
    }
  } finally {
    await client.end();
  }
  return found;
}

function readsAll({ Plans = [], ...step }: Step): boolean {
  const isWhole =
    /^(Seq|Index|Index Only) Scan$/.test(step['Node Type']) &&
    GROWING.includes(step['Relation Name'] ?? '') &&
    step['Index Cond'] === undefined &&
    !SHORT.test(step['Index Name'] ?? '');
  return isWhole || Plans.some(readsAll);
}

onBothDatabases(({ newLocation }) => {
  test('no statement that the store prepares reads all records', async () => {
    const location = await newLocation();
    const texts = await preparedTexts(location);
    expect(texts.length).toBeGreaterThan(300);
    expect(await readingAll(location, texts)).toEqual([]);
  }, 60_000);
});
