import { sql } from 'kysely';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';
import { COUNTED_SPANS_MS, durationBucket } from './count-earlier.ts';

/** The number of rows per commit, so small that its commit delays no call. */
const CHANGES_PER_BATCH = 500;

/**
 * Adds the ends that triggers have noted to the counts of statistics, in small commits. Statistics are correct before and
 * after: a read includes counts and notes of the same moment (decision 63, statistics).
 */
export class CountFolding {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  /**
   * Returns when everything noted before the call is folded, or when the signal aborts. What calls note meanwhile waits for
   * the next time: under load it would never end, and commit a few rows again and again.
   */
  async fold(signal?: AbortSignal): Promise<void> {
    const { first, last, add, forget } = this.#queries;
    const end = (await firstRow(this.#database, last({})))?.seq ?? 0;
    while (!signal?.aborted) {
      const from = (await firstRow(this.#database, first({})))?.seq;
      if (from === undefined || from > end) return;
      const upTo = Math.min(from + CHANGES_PER_BATCH - 1, end);
      await this.#database.commit([add({ up_to: upTo }), forget({ up_to: upTo })]);
    }
  }
}

function queriesOf({ build }: Database) {
  return {
    first: reading(() => build.selectFrom('execution_count_changes').select('seq').orderBy('seq').limit(1)),
    last: reading(() =>
      build.selectFrom('execution_count_changes').select('seq').orderBy('seq', 'desc').limit(1),
    ),
    // Grouped by hour first, which leaves few rows for the four kinds of counts.
    add: writing((it: { up_to: number }) => {
      const hour = sql.lit(Math.min(...COUNTED_SPANS_MS));
      const kinds = COUNTED_SPANS_MS.flatMap((spanMs) =>
        [0, 1].map((isAll) => sql`select ${sql.lit(spanMs)} as span_ms, ${sql.lit(isAll)} as is_all`),
      );
      const text = sql`
        with noted as materialized (
          select workspace_id, slug, created_at_ms - created_at_ms % ${hour} as hour_ms, state, ${durationBucket()} as bucket, sum(change) as change
          from execution_count_changes
          where seq <= ${it.up_to}
          group by 1, 2, 3, 4, 5
        )
        insert into execution_counts (workspace_id, slug, span_ms, from_ms, state, bucket, shard, count)
        select workspace_id, case when is_all = 1 then '' else slug end, span_ms, hour_ms - hour_ms % span_ms, state, bucket, 0, sum(change)
        from noted cross join (${sql.join(kinds, sql` union all `)}) as kinds
        where true
        group by 1, 2, 3, 4, 5, 6
        on conflict (workspace_id, slug, span_ms, from_ms, state, bucket, shard)
        do update set count = execution_counts.count + excluded.count`;
      return { compile: () => text.compile(build) };
    }),
    forget: writing((it: { up_to: number }) =>
      build.deleteFrom('execution_count_changes').where('seq', '<=', it.up_to),
    ),
  };
}
