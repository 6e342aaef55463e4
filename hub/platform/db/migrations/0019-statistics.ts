import { type Kysely, type RawBuilder, SqliteAdapter, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** An hour and a day. */
const SPANS_MS = [3_600_000, 86_400_000] as const;

/**
 * Statistics are counted at the end of an execution (decision 63, statistics), by triggers: hubs of the version before count along
 * without knowing it. On SQLite a trigger notes the end in one row, which a hub adds to the counts a moment later
 * (`hub/executions/store/fold-counts.ts`): four rows of counts for each end took 6 to 9 % of its processor time. What ended before
 * is counted in small steps by a hub that runs (`hub/executions/store/count-earlier.ts`).
 *
 * SQLite keeps output in a table with row ids from here on: one without puts each row over 1,000 bytes on pages of its own.
 */
export async function statistics(database: Kysely<unknown>, { text, clustered }: ColumnTypes): Promise<void> {
  const isSqlite = database.getExecutor().adapter instanceof SqliteAdapter;
  await createTables(database, { text, clustered, isSqlite });
  // No execution may end between this count and the creation of the triggers. SQLite migrates under a lock of its own.
  if (!isSqlite) await sql`lock table executions in share row exclusive mode`.execute(database);
  const lastId = await rememberEarlier(database);
  await (isSqlite ? countOnSqlite(database, lastId) : countOnPostgres(database, lastId));
  if (isSqlite) await createOutput(database);
}

async function createTables(
  { schema }: Kysely<unknown>,
  {
    text,
    clustered,
    isSqlite,
  }: { text: RawBuilder<unknown>; clustered: RawBuilder<unknown>; isSqlite: boolean },
): Promise<void> {
  const key = ['workspace_id', 'slug', 'span_ms', 'from_ms', 'state', 'bucket', 'shard'] as const;
  await schema
    .createTable('execution_counts')
    .addColumn('workspace_id', text, (it) => it.notNull())
    // Empty: all of the workspace.
    .addColumn('slug', text, (it) => it.notNull())
    // An hour or a day: statistics of a month read the counts of 30 days, not those of 720 hours.
    .addColumn('span_ms', 'bigint', (it) => it.notNull())
    .addColumn('from_ms', 'bigint', (it) => it.notNull())
    .addColumn('state', text, (it) => it.notNull())
    // Of the duration; -1: it never ran.
    .addColumn('bucket', 'bigint', (it) => it.notNull())
    // Each connection to PostgreSQL has rows of its own: hubs never wait for each other.
    .addColumn('shard', 'bigint', (it) => it.notNull())
    .addColumn('count', 'bigint', (it) => it.notNull())
    .addPrimaryKeyConstraint('execution_counts_key', [...key])
    .modifyEnd(clustered)
    .execute();
  await schema.createIndex('execution_counts_by_time').on('execution_counts').column('from_ms').execute();
  // Ends that are not in the counts yet, in order; empty on PostgreSQL.
  await schema
    .createTable('execution_count_changes')
    .addColumn('seq', isSqlite ? 'integer' : 'bigint', (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('slug', text, (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('state', text, (it) => it.notNull())
    .addColumn('duration_ms', 'bigint')
    .addColumn('change', 'bigint', (it) => it.notNull())
    .execute();
  // One row: what ended before the triggers has been counted down to this id.
  await schema
    .createTable('execution_counts_earlier')
    .addColumn('id', 'bigint', (it) => it.notNull().primaryKey())
    .addColumn('counted_down_to', text, (it) => it.notNull())
    .execute();
  // Executions at or below the last id of before that the triggers count.
  await schema
    .createTable('execution_counts_by_trigger')
    .addColumn('execution_id', text, (it) => it.notNull().primaryKey())
    .execute();
}

/** The last id that there is; what is not final is left to the triggers, with what is `lost` counted here. */
async function rememberEarlier(database: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ id: string | null }>`select max(id) as id from executions`.execute(database);
  const lastId = rows[0]?.id ?? '';
  // Above every UUID, or below when there is nothing to count.
  const from = lastId === '' ? '' : 'g';
  await sql`insert into execution_counts_earlier (id, counted_down_to) values (1, ${from})`.execute(database);
  for (const condition of [
    sql`state in ('queued', 'running')`,
    sql`state not in ('queued', 'running', 'succeeded') and state in ('pending_approval', 'lost')`,
  ])
    await sql`insert into execution_counts_by_trigger (execution_id) select id from executions where ${condition}`.execute(
      database,
    );
  const bucket = sql.raw(bucketOf('duration_ms'));
  for (const slug of [sql`slug`, sql`''`])
    for (const span of SPANS_MS.map((ms) => sql.lit(ms)))
      await sql`
        insert into execution_counts (workspace_id, slug, span_ms, from_ms, state, bucket, shard, count)
        select workspace_id, ${slug}, ${span}, created_at_ms - created_at_ms % ${span}, state, ${bucket}, 0, count(*)
        from executions where state not in ('queued', 'running', 'succeeded') and state = 'lost'
        group by 1, 2, 3, 4, 5, 6
      `.execute(database);
  return lastId;
}

const HAS_ENDED = (row: 'old' | 'new') => `${row}.state not in ('pending_approval', 'queued', 'running')`;

/**
 * The bucket of a duration, in SQL that both databases take: whole milliseconds below 16, then eight buckets for each
 * doubling. `core/execution/duration-bucket.ts` reads them.
 */
function bucketOf(column: string): string {
  const octaves = Array.from({ length: 32 }, (_, at) => at + 4).map((power) => {
    const [from, width] = [2 ** power, 2 ** (power - 3)];
    return `when ${column} < ${2 * from} then ${16 + 8 * (power - 4)} + (${column} - ${from}) / ${width}`;
  });
  return `case when ${column} is null then -1 when ${column} < 0 then 0 when ${column} < 16 then ${column} ${octaves.join(' ')} else 271 end`;
}

/** The endpoint and the workspace, each by the hour and by the day: up or down by one. */
function counting(row: 'old' | 'new', by: 1 | -1, shard: string): string {
  const values = (slug: string, spanMs: number) =>
    `(${row}.workspace_id, ${slug}, ${spanMs}, ${row}.created_at_ms - ${row}.created_at_ms % ${spanMs}, ${row}.state, ${bucketOf(`${row}.duration_ms`)}, ${shard}, ${by})`;
  const rows = [`${row}.slug`, "''"].flatMap((slug) => SPANS_MS.map((spanMs) => values(slug, spanMs)));
  return `insert into execution_counts (workspace_id, slug, span_ms, from_ms, state, bucket, shard, count)
    values ${rows.join(', ')}
    on conflict (workspace_id, slug, span_ms, from_ms, state, bucket, shard)
    do update set count = execution_counts.count + excluded.count;`;
}

function noting(row: 'old' | 'new', change: 1 | -1): string {
  const columns = ['workspace_id', 'slug', 'created_at_ms', 'state', 'duration_ms'];
  const values = [...columns.map((column) => `${row}.${column}`), change];
  return `insert into execution_count_changes (${columns.join(', ')}, change) values (${values.join(', ')});`;
}

const REMEMBERING =
  'insert into execution_counts_by_trigger (execution_id) values (new.id) on conflict do nothing;';

async function countOnSqlite(database: Kysely<unknown>, lastId: string): Promise<void> {
  const trigger = (name: string, when: string, work: string) =>
    sql.raw(`create trigger ${name} ${when} begin ${work} end`).execute(database);
  const after = 'after update of state on executions';
  const insertion = 'after insert on executions';
  await trigger(
    'executions_count_end',
    `${after} when old.state <> new.state and ${HAS_ENDED('new')}`,
    noting('new', 1),
  );
  await trigger(
    'executions_count_late',
    `${after} when old.state <> new.state and ${HAS_ENDED('old')}`,
    noting('old', -1),
  );
  await trigger('executions_count_ended', `${insertion} when ${HAS_ENDED('new')}`, noting('new', 1));
  if (lastId !== '')
    await trigger('executions_count_earlier', `${insertion} when new.id <= '${lastId}'`, REMEMBERING);
}

async function countOnPostgres(database: Kysely<unknown>, lastId: string): Promise<void> {
  const define = (name: string, work: string) =>
    sql
      .raw(
        `create function ${name}() returns trigger language plpgsql as $$ begin ${work} return null; end $$`,
      )
      .execute(database);
  const trigger = (name: string, when: string, condition: string, calls: string) =>
    sql
      .raw(
        `create trigger ${name} ${when} on executions for each row when (${condition}) execute function ${calls}()`,
      )
      .execute(database);
  await define('svc_count_end', counting('new', 1, 'pg_backend_pid()'));
  await define('svc_count_late', counting('old', -1, 'pg_backend_pid()'));
  await define('svc_count_earlier', REMEMBERING);
  const after = 'after update of state';
  const changes = 'old.state <> new.state';
  await trigger('executions_count_end', after, `${changes} and ${HAS_ENDED('new')}`, 'svc_count_end');
  await trigger('executions_count_late', after, `${changes} and ${HAS_ENDED('old')}`, 'svc_count_late');
  await trigger('executions_count_ended', 'after insert', HAS_ENDED('new'), 'svc_count_end');
  if (lastId !== '')
    await trigger('executions_count_earlier', 'after insert', `new.id <= '${lastId}'`, 'svc_count_earlier');
  // Room on each page for the next version of its rows.
  await sql`alter table execution_counts set (fillfactor = 50)`.execute(database);
}

async function createOutput({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('execution_output')
    .addColumn('execution_id', 'text', (it) => it.notNull())
    .addColumn('seq', 'bigint', (it) => it.notNull())
    .addColumn('sse', 'blob', (it) => it.notNull())
    .addColumn('endings', 'text')
    .addPrimaryKeyConstraint('execution_output_key', ['execution_id', 'seq'])
    .execute();
}
