import type { StatsSpan } from '@svc/core/execution/execution-stats';
import type { ExecutionState } from '@svc/core/execution/state';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { once } from '../../platform/db/unit/precompile.ts';
import type { CountedBy } from '../execution-ports.ts';

/** The rows of a group as pairs. */
export const PAIRS = sql`string_agg(bucket || ',' || count, ',')`;
/** An hour or a day is packed this long after its end. Migration 0050 has the same time. */
const PACKED_AFTER_MS = 3 * 3_600_000;
/** Below this many rows, reading costs less than packing. */
const PACKED_FROM_ROWS = 500;
/** The most hours or days that one read packs, so that a late end waits for a moment only. */
const MAX_PACKED = 48;

/** One row for each state of a time bucket: only few rows cross from the reader thread. */
export interface CountRow {
  readonly at_ms: number;
  readonly state: ExecutionState;
  /** Duration bucket, count, and so on, separated by commas. */
  readonly durations: string;
  /** 1: the counts of an hour or a day that is over and not packed. */
  readonly is_loose?: number;
}

/**
 * The counts of a span. For an hour or a day that is packed, the read takes the packed rows only (decision 114, packed counts).
 *
 * @param counts the condition for workspace, endpoint and length of the time buckets
 */
export function packedAndLoose(
  counts: RawBuilder<unknown>,
  { fromMs, untilMs, bucketMs }: StatsSpan,
): RawBuilder<unknown> {
  const [from, until, step] = [fromMs, untilMs, bucketMs].map((ms) => sql`cast(${ms} as bigint)`);
  return sql`
    select * from (
      with packed as materialized (
        select from_ms, state, durations from execution_counts_packed
        where ${counts} and from_ms >= ${fromMs} and from_ms < ${untilMs}
      )
      select from_ms as at_ms, state, durations, 0 as is_loose from packed
      union all
      select span.from_ms, loose.state, loose.durations,
        case when span.from_ms + ${step} + ${sql.lit(PACKED_AFTER_MS)} <= extract(epoch from now()) * 1000 then 1 else 0 end
      from generate_series(${from}, ${until} - 1, ${step}) as span(from_ms)
      cross join lateral (
        select state, ${PAIRS} as durations from execution_counts
        where ${counts} and from_ms = span.from_ms
        group by state
      ) as loose
      where span.from_ms not in (select from_ms from packed)
    ) as counted`;
}

/**
 * Packs the loose counts of a read, the newest first, if they have many rows. The read does not wait for it. It runs in a transaction of
 * its own, and an end that is late waits for one packing at most. If it fails, a later read packs.
 */
export function packLoose(
  { build, reader }: Pick<Database, 'build' | 'reader'>,
  { workspaceId, slug = '' }: CountedBy,
  { bucketMs }: StatsSpan,
  rows: readonly CountRow[],
): void {
  const loose = rows.filter((row) => row.is_loose === 1);
  const pairs = loose.reduce((sum, { durations }) => sum + Math.ceil(durations.split(',').length / 2), 0);
  if (pairs < PACKED_FROM_ROWS) return;
  const times = [...new Set(loose.map(({ at_ms }) => Number(at_ms)))]
    .sort((a, b) => b - a)
    .slice(0, MAX_PACKED);
  const text = sql`select svc_pack_counts(${workspaceId}, ${slug}, ${bucketMs}, array[${sql.join(times)}]::bigint[])`;
  reader.rows(once({ compile: () => text.compile(build) })).catch(() => undefined);
}
