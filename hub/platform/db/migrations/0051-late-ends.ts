import { type Kysely, SqliteAdapter, sql } from 'kysely';

/** The lock of migration 0050. */
const LOCK = 7_302_019_050;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An hour or a day is packed this long after its end. `hub/executions/store/packed-counts.ts` has the same time. */
const PACKED_AFTER_MS = 4 * HOUR_MS;
/**
 * An end is late when its execution is older than this. It is two hours less than the time above. Within these, each hub unpacks what a
 * server whose clock was ahead has packed too early.
 */
const LATE_AFTER_MS = 2 * HOUR_MS;

/**
 * Late ends lock last, and hours and days that were packed too early are unpacked (decision 116, late ends). Functions keep their
 * names and arguments, so hubs of the version before go on with them.
 */
export async function lateEnds(database: Kysely<unknown>): Promise<void> {
  if (database.getExecutor().adapter instanceof SqliteAdapter) return;
  for (const statement of [PACK, UNPACK_NOTHING, UNPACK_LATE, UNPACK_EARLY, ...TRIGGERS])
    await sql.raw(statement).execute(database);
}

const NOW_MS = 'cast(extract(epoch from clock_timestamp()) * 1000 as bigint)';

/** As in migration 0050, except for the time. */
const PACK = `
  create or replace function svc_pack_counts(of_workspace text, of_slug text, of_span_ms bigint, since bigint[])
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
 * The triggers of migration 0050 stay, and do nothing. To drop them, this transaction would wait for everything that reads executions, such as
 * a backup with pg_dump, and calls would wait behind it.
 */
const UNPACK_NOTHING = `
  create or replace function svc_unpack_counts() returns trigger language plpgsql as $$ begin return null; end $$`;

/**
 * A late end removes the packed rows of its hour and day. It does so as the last step of its transaction, which then waits for nothing while
 * it has the lock. Other late ends and packings wait, or do nothing. A packing that has not seen this end is over before the rows are removed.
 */
const UNPACK_LATE = `
  create function svc_unpack_late_end() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock(${LOCK});
    delete from execution_counts_packed
    where workspace_id = new.workspace_id and slug in ('', new.slug) and (
      (span_ms = ${HOUR_MS} and from_ms = new.created_at_ms - new.created_at_ms % ${HOUR_MS})
      or (span_ms = ${DAY_MS} and from_ms = new.created_at_ms - new.created_at_ms % ${DAY_MS})
    );
    return null;
  end $$`;

/**
 * Removes some packed rows of hours and days that are not over, and returns how many. There are such rows only after the clock of the server
 * was ahead. Their ends may not count as late, and would stay uncounted.
 */
const UNPACK_EARLY = `
  create function svc_unpack_early(most bigint) returns bigint language plpgsql as $$
  declare
    over_ms bigint := ${NOW_MS} - ${PACKED_AFTER_MS};
    day_ms bigint := over_ms - over_ms % ${DAY_MS};
    removed bigint;
  begin
    perform pg_advisory_xact_lock(${LOCK});
    delete from execution_counts_packed where ctid = any(array(
      select ctid from execution_counts_packed
      where from_ms > over_ms - ${HOUR_MS} or (from_ms = day_ms and span_ms = ${DAY_MS})
      limit most
    ));
    get diagnostics removed = row_count;
    return removed;
  end $$`;

const HAS_ENDED = (row: 'old' | 'new') => `${row}.state not in ('pending_approval', 'queued', 'running')`;
const IS_LATE = `new.created_at_ms < ${NOW_MS} - ${LATE_AFTER_MS}`;

/** Only ends, and what an agent proves after `lost`, change counts. The conditions are checked at once, and the work waits for the commit. */
const TRIGGERS = [
  `create constraint trigger executions_unpack_late_end after update of state on executions
   deferrable initially deferred for each row
   when (old.state <> new.state and (${HAS_ENDED('old')} or ${HAS_ENDED('new')}) and ${IS_LATE})
   execute function svc_unpack_late_end()`,
  `create constraint trigger executions_unpack_late_end_of_new after insert on executions
   deferrable initially deferred for each row
   when (${HAS_ENDED('new')} and ${IS_LATE})
   execute function svc_unpack_late_end()`,
];
