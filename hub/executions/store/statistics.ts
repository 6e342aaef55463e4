import type { CountedExecutions, StatsSpan } from '@svc/core/execution/execution-stats';
import { type RawBuilder, sql } from 'kysely';
import { type Database, READ_BOUND } from '../../platform/db/database.ts';
import { once, type Query } from '../../platform/db/unit/precompile.ts';
import type { CountedBy, Statistics } from '../execution-ports.ts';
import { COUNTED_SPANS_MS, durationBucket, EARLIER_DONE } from './count-earlier.ts';
import { firstIdOf, timeOfId } from './first-id.ts';
import { IS_UNFINISHED } from './listing.ts';
import { type CountRow, PAIRS, packedAndLoose } from './packed-counts.ts';

/** NOTE: The exact condition of the partial index, and its only unfinished state. */
const IS_PENDING_APPROVAL = sql`state = 'pending_approval' and state not in ('queued', 'running', 'succeeded')`;

type Readable = Pick<Database, 'build' | 'reader' | 'packsCounts'>;

/** Executions of a span, counted by state and duration. */
export function readStatistics(database: Readable, of: CountedBy, span: StatsSpan): Promise<Statistics> {
  return COUNTED_SPANS_MS.includes(span.bucketMs)
    ? fromCounts(database, of, span)
    : fromRows(database, of, span);
}

/** Whole hours or days: finished executions are in the counts, and unfinished ones are few (decision 63, statistics). */
async function fromCounts(database: Readable, of: CountedBy, span: StatsSpan): Promise<Statistics> {
  const [rows, [earlier]] = await Promise.all([
    database.reader.rows(countedQuery(database, of, span)),
    database.reader.rows(
      once(database.build.selectFrom('execution_counts_earlier').select('counted_down_to')),
    ),
  ]);
  const completeFromMs = countedFromMs(earlier?.counted_down_to ?? EARLIER_DONE, span);
  return { counts: rows.map(countedOf), completeFromMs, isPartial: completeFromMs > span.fromMs };
}

/** Older executions are being counted, newest first, so the current bucket is incomplete. */
function countedFromMs(countedDownTo: string, { fromMs, untilMs, bucketMs }: StatsSpan): number {
  if (countedDownTo === EARLIER_DONE) return fromMs;
  // Nothing has been counted yet: the mark is above every id.
  const atMs = countedDownTo < 'g' ? timeOfId(countedDownTo) : untilMs;
  return Math.min(untilMs, Math.max(fromMs, Math.ceil(atMs / bucketMs) * bucketMs));
}

/** One statement reads one moment, so an execution that ends meanwhile is counted once. */
function countedQuery(
  { build, packsCounts }: Readable,
  { workspaceId, slug = '' }: CountedBy,
  span: StatsSpan,
): Query<CountRow> {
  const { fromMs, untilMs, bucketMs } = span;
  // NOTE: The condition is hidden from both databases. With the index of endpoints they would scan all finished executions.
  const ofSlug = slug === '' ? sql`` : sql`and slug || '' = ${slug}`;
  const unfinished = (condition: ReturnType<typeof sql>) => sql`
    select ${startOf('created_at_ms', bucketMs)} as at_ms, state, '-1,' || count(*) as durations
    from executions
    where workspace_id = ${workspaceId} and ${condition}
      and id >= ${firstIdOf(fromMs)} and id < ${firstIdOf(untilMs)} ${ofSlug}
    group by 1, 2`;
  const counts = sql`workspace_id = ${workspaceId} and slug = ${slug} and span_ms = ${bucketMs}`;
  const text = sql`
    ${packsCounts ? packedAndLoose(counts, span) : allCounts(counts, span)}
    union all
    select at_ms, state, ${PAIRS} as durations
    from (
      select ${startOf('created_at_ms', bucketMs)} as at_ms, state, ${durationBucket()} as bucket, sum(change) as count
      from execution_count_changes
      where workspace_id = ${workspaceId} and created_at_ms >= ${fromMs} and created_at_ms < ${untilMs} ${ofSlug}
      group by 1, 2, 3
    ) as noted
    group by at_ms, state
    union all ${unfinished(IS_UNFINISHED)}
    union all ${unfinished(IS_PENDING_APPROVAL)}`;
  return once({ compile: () => text.compile(build) }) as Query<CountRow>;
}

function allCounts(counts: RawBuilder<unknown>, { fromMs, untilMs }: StatsSpan): RawBuilder<unknown> {
  return sql`
    select from_ms as at_ms, state, ${PAIRS} as durations
    from execution_counts
    where ${counts} and from_ms >= ${fromMs} and from_ms < ${untilMs}
    group by from_ms, state`;
}

/** Minutes: the newest rows within the bound of one read, counted where they are read. */
async function fromRows({ build, reader }: Readable, of: CountedBy, span: StatsSpan): Promise<Statistics> {
  const { fromMs, untilMs, bucketMs } = span;
  const ofSlug = of.slug === undefined ? sql`` : sql`and slug = ${of.slug}`;
  const text = sql`
    select at_ms, state, ${PAIRS} as durations, sum(count) as count, min(first_id) as first_id
    from (
      select ${startOf('created_at_ms', bucketMs)} as at_ms, state, ${durationBucket()} as bucket,
        count(*) as count, min(id) as first_id
      from (
        select id, state, duration_ms, created_at_ms from executions
        where workspace_id = ${of.workspaceId} ${ofSlug} and id >= ${firstIdOf(fromMs)} and id < ${firstIdOf(untilMs)}
        order by id desc limit ${sql.lit(READ_BOUND.rows)}
      ) as newest
      group by 1, 2, 3
    ) as counted
    group by at_ms, state`;
  const query = once({ compile: () => text.compile(build) }) as Query<
    CountRow & { readonly count: number; readonly first_id: string }
  >;
  const rows = await reader.rows(query);
  const counts = rows.map(countedOf);
  // NOTE: PostgreSQL returns sums as text, because they may exceed its integers.
  if (rows.reduce((sum, { count }) => sum + Number(count), 0) < READ_BOUND.rows)
    return { counts, completeFromMs: fromMs, isPartial: false };
  const firstMs = Math.min(...rows.map(({ first_id }) => timeOfId(first_id)));
  return { counts, completeFromMs: Math.ceil(firstMs / bucketMs) * bucketMs, isPartial: true };
}

function startOf(column: string, bucketMs: number) {
  return sql`${sql.ref(column)} - ${sql.ref(column)} % ${sql.lit(bucketMs)}`;
}

function countedOf({ at_ms: atMs, state, durations }: CountRow): CountedExecutions {
  return { atMs, state, durations: JSON.parse(`[${durations}]`) as number[] };
}
