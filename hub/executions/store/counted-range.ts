import { hasEnded } from '@svc/core/execution/state';
import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { once, type Query } from '../../platform/db/unit/precompile.ts';
import type { ExecutionFilter } from '../execution-ports.ts';
import { COUNTED_SPANS_MS, EARLIER_DONE } from './count-earlier.ts';

const DAY_MS = Math.max(...COUNTED_SPANS_MS);
/** An id may be older than its record: a body may take an hour to arrive. And the clocks of two hubs differ. */
const SLACK_MS = 2 * 60 * 60 * 1000;

/** Ids of the executions that match a filter are of this time. */
type TimeRange = Required<Pick<ExecutionFilter, 'fromMs' | 'untilMs'>>;

interface RangeRow {
  readonly first_ms: number | null;
  readonly last_ms: number | null;
  readonly counted_down_to: string;
}

/**
 * The days on which executions of one endpoint ended in some states, as statistics have counted them (decision 110, filters and
 * counts); `none` when there is no such day. Undefined when the counts cannot tell.
 *
 * Counts are stored with the end of an execution, and removed when retention has removed their day.
 */
export async function countedRange(
  { build, reader }: Pick<Database, 'build' | 'reader'>,
  { workspaceId, slug, states }: Pick<ExecutionFilter, 'workspaceId' | 'slug' | 'states'>,
): Promise<TimeRange | 'none' | undefined> {
  if (slug === undefined || states === undefined) return undefined;
  // Others are not counted yet. Those that succeeded are on most days.
  if (!states.every((state) => hasEnded(state) && state !== 'succeeded')) return undefined;
  const ofEndpoint = sql`workspace_id = ${workspaceId} and slug = ${slug} and state in (${sql.join(states)})`;
  const text = sql`
    select min(at_ms) as first_ms, max(at_ms) as last_ms,
      (select counted_down_to from execution_counts_earlier) as counted_down_to
    from (
      select from_ms as at_ms from execution_counts where ${ofEndpoint} and span_ms = ${sql.lit(DAY_MS)} and count > 0
      union all
      select created_at_ms from execution_count_changes where ${ofEndpoint}
    ) as counted`;
  const [row] = await reader.rows(once({ compile: () => text.compile(build) }) as Query<RangeRow>);
  if (row?.counted_down_to !== EARLIER_DONE) return undefined;
  const { first_ms: firstMs, last_ms: lastMs } = row;
  if (firstMs === null || lastMs === null) return 'none';
  return { fromMs: firstMs - SLACK_MS, untilMs: lastMs + DAY_MS + SLACK_MS };
}
