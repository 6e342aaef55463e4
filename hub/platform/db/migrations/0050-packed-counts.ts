import { type Kysely, SqliteAdapter, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** What keeps a late end and the packing of counts apart: any number that no other lock of this database has. */
const LOCK = 7_302_019_050;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An hour or a day is packed this long after its end. */
const PACKED_AFTER_MS = 3 * HOUR_MS;
/**
 * An end is late when its execution is older than this. It is an hour less than the time above, because a transaction commits a
 * moment after its triggers have run.
 */
const LATE_AFTER_MS = 2 * HOUR_MS;

/**
 * On PostgreSQL the counts of a finished hour or day lie in as many pages as there are rows, because rows stay where they were first
 * written. There they are also kept as one row for each state (decision 114, packed counts). Counts stay as they are, so hubs of the version
 * before still count and read.
 */
export async function packedCounts(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await database.schema
    .createTable('execution_counts_packed')
    .addColumn('workspace_id', text, (it) => it.notNull())
    // Empty: all of the workspace.
    .addColumn('slug', text, (it) => it.notNull())
    .addColumn('span_ms', 'bigint', (it) => it.notNull())
    .addColumn('from_ms', 'bigint', (it) => it.notNull())
    .addColumn('state', text, (it) => it.notNull())
    // Duration bucket, count, and so on, separated by commas.
    .addColumn('durations', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('execution_counts_packed_key', [
      'workspace_id',
      'slug',
      'span_ms',
      'from_ms',
      'state',
    ])
    .execute();
  await database.schema
    .createIndex('execution_counts_packed_by_time')
    .on('execution_counts_packed')
    .column('from_ms')
    .execute();
  // SQLite keeps the rows of a key beside each other, so nothing is packed there.
  if (database.getExecutor().adapter instanceof SqliteAdapter) return;
  for (const statement of [PACK, UNPACK, ...TRIGGERS]) await sql.raw(statement).execute(database);
}

const NOW_MS = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)';

/**
 * Packs those of the given hours or days that are over. It never waits: while a late end is not committed, or another hub packs, it does
 * nothing, and a hub packs later.
 */
const PACK = `
  create function svc_pack_counts(of_workspace text, of_slug text, of_span_ms bigint, since bigint[])
  returns void language plpgsql as $$ begin
    if not pg_try_advisory_xact_lock(${LOCK}) then return; end if;
    insert into execution_counts_packed (workspace_id, slug, span_ms, from_ms, state, durations)
    select workspace_id, slug, span_ms, from_ms, state, string_agg(bucket || ',' || total, ',')
    from (
      select workspace_id, slug, span_ms, from_ms, state, bucket, sum(count) as total from execution_counts
      where workspace_id = of_workspace and slug = of_slug and span_ms = of_span_ms and from_ms = any(since)
        and from_ms + span_ms <= ${NOW_MS} - ${PACKED_AFTER_MS}
      group by workspace_id, slug, span_ms, from_ms, state, bucket
    ) as counted
    where exists (select 1 from execution_counts_earlier where counted_down_to = '')
    group by workspace_id, slug, span_ms, from_ms, state
    on conflict do nothing;
  end $$`;

/**
 * A late end removes the packed rows of its hour and day, and no packing begins before this transaction is over. It waits for a packing,
 * and for late ends of other hubs: they could remove the same rows in another order, which would be a deadlock.
 */
const UNPACK = `
  create function svc_unpack_counts() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(${LOCK});
    delete from execution_counts_packed
    where workspace_id = new.workspace_id and slug in ('', new.slug) and (
      (span_ms = ${HOUR_MS} and from_ms = new.created_at_ms - new.created_at_ms % ${HOUR_MS})
      or (span_ms = ${DAY_MS} and from_ms = new.created_at_ms - new.created_at_ms % ${DAY_MS})
    );
    return null;
  end $$`;

const IS_LATE = `new.created_at_ms < ${NOW_MS} - ${LATE_AFTER_MS}`;

const TRIGGERS = [
  `create trigger executions_unpack_counts after update of state on executions for each row
   when (old.state <> new.state and ${IS_LATE}) execute function svc_unpack_counts()`,
  `create trigger executions_unpack_counts_of_new after insert on executions for each row
   when (new.state not in ('pending_approval', 'queued', 'running') and ${IS_LATE}) execute function svc_unpack_counts()`,
];
