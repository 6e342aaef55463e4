import type { CountedExecutions, StatsSpan } from '@svc/core/execution/execution-stats';
import { type RawBuilder, sql } from 'kysely';
import { type Database, READ_BOUND, type ReadBound } from '../../platform/db/database.ts';
import { once, type Query } from '../../platform/db/unit/precompile.ts';
import type { CountedBy, Statistics } from '../execution-ports.ts';
import { COUNTED_SPANS_MS, durationBucket, EARLIER_DONE } from './count-earlier.ts';
import { firstIdOf, timeOfId } from './first-id.ts';
import { IS_UNFINISHED } from './listing.ts';
import { type CountRow, PAIRS, packedAndLoose } from './packed-counts.ts';

/** NOTE: The exact condition of the partial index, and its only unfinished state. */
const IS_PENDING_APPROVAL = sql`state = 'pending_approval' and state not in ('queued', 'running', 'succeeded')`;

type Readable = Pick<Database, 'build' | 'reader' | 'packsCounts'>;

/** In place of a state: executions before the time bucket of this row, and some of those in it, were not read. */
const CUT = 'cut';

interface CutRow extends Omit<CountRow, 'state'> {
  readonly state: typeof CUT;
}

type Bound = Pick<ReadBound, 'rows'>;

/** Executions of a span, counted by state and duration. */
export function readStatistics(
  database: Readable,
  of: CountedBy,
  span: StatsSpan,
  bound: Bound = READ_BOUND,
): Promise<Statistics> {
  const read = COUNTED_SPANS_MS.includes(span.bucketMs) ? fromCounts : fromRows;
  return read(database, of, span, bound);
}

/**
 * Whole hours or days: finished executions are in the counts, and of those that are unfinished or pending the newest within the bound
 * are read (decision 63, statistics).
 */
async function fromCounts(
  database: Readable,
  of: CountedBy,
  span: StatsSpan,
  bound: Bound,
): Promise<Statistics> {
  const [found, [earlier]] = await Promise.all([
    database.reader.rows(countedQuery(database, of, span, bound)),
    database.reader.rows(
      once(database.build.selectFrom('execution_counts_earlier').select('counted_down_to')),
    ),
  ]);
  const rows = found.filter((row) => row.state !== CUT);
  const afterCutsMs = found.flatMap(({ at_ms: atMs, state }) => (state === CUT ? atMs + span.bucketMs : []));
  const countedMs = countedFromMs(earlier?.counted_down_to ?? EARLIER_DONE, span);
  const completeFromMs = Math.min(span.untilMs, Math.max(countedMs, ...afterCutsMs));
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
  { rows }: Bound,
): Query<CountRow | CutRow> {
  const { fromMs, untilMs, bucketMs } = span;
  const ofSlug = slug === '' ? sql`` : sql`and slug = ${slug}`;
  // NOTE: The bound counts executions of all endpoints. With the index of one endpoint, finished executions would be scanned.
  const newest = (condition: ReturnType<typeof sql>) => sql`
    select slug, state, ${startOf('created_at_ms', bucketMs)} as at_ms
    from executions
    where workspace_id = ${workspaceId} and ${condition}
      and id >= ${firstIdOf(fromMs)} and id < ${firstIdOf(untilMs)}
    order by id desc limit ${sql.lit(rows + 1)}`;
  const counted = (newestOnes: RawBuilder<unknown>) => sql`
    select at_ms, state, '-1,' || count(*) as durations from ${newestOnes} where 1 = 1 ${ofSlug} group by 1, 2
    union all
    select min(at_ms) as at_ms, ${sql.lit(CUT)} as state, '' as durations
    from ${newestOnes} having count(*) > ${sql.lit(rows)}`;
  const counts = sql`workspace_id = ${workspaceId} and slug = ${slug} and span_ms = ${bucketMs}`;
  const text = sql`
    with unfinished as (${newest(IS_UNFINISHED)}), pending as (${newest(IS_PENDING_APPROVAL)})
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
    union all ${counted(sql`unfinished`)}
    union all ${counted(sql`pending`)}`;
  return once({ compile: () => text.compile(build) }) as Query<CountRow | CutRow>;
}

function allCounts(counts: RawBuilder<unknown>, { fromMs, untilMs }: StatsSpan): RawBuilder<unknown> {
  return sql`
    select from_ms as at_ms, state, ${PAIRS} as durations
    from execution_counts
    where ${counts} and from_ms >= ${fromMs} and from_ms < ${untilMs}
    group by from_ms, state`;
}

/** Minutes: the newest rows within the bound of one read, counted where they are read. */
async function fromRows(
  { build, reader }: Readable,
  of: CountedBy,
  span: StatsSpan,
  bound: Bound,
): Promise<Statistics> {
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
        order by id desc limit ${sql.lit(bound.rows + 1)}
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
  // One row more than the bound shows that others are left out.
  if (rows.reduce((sum, { count }) => sum + Number(count), 0) <= bound.rows)
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
