import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { once, writing } from '../../platform/db/unit/precompile.ts';
import { COUNTED_SPANS_MS, durationBucket } from './count-earlier.ts';

/** So few that a commit with them delays no call. */
const CHANGES_AT_ONCE = 500;

/**
 * Adds ends that triggers have noted to the counts of statistics, in small commits. Statistics are right before and after:
 * a read takes counts and notes as of one moment (decision 63).
 */
export class CountFolding {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  /** Returns when nothing is left, or when the signal says so. */
  async fold(signal?: AbortSignal): Promise<void> {
    const { last, add, forget } = this.#queries;
    while (!signal?.aborted) {
      const [row] = await this.#database.reader.rows(last());
      const upTo = row?.seq ?? null;
      if (upTo === null) return;
      await this.#database.commit([
        ...add.map((statement) => statement({ up_to: upTo })),
        forget({ up_to: upTo }),
      ]);
    }
  }
}

function queriesOf({ build }: Database) {
  return {
    last: () =>
      once(
        build
          .selectFrom((it) =>
            it
              .selectFrom('execution_count_changes')
              .select('seq')
              .orderBy('seq')
              .limit(CHANGES_AT_ONCE)
              .as('some'),
          )
          .select(({ fn }) => fn.max<number | null>('some.seq').as('seq')),
      ),
    add: [sql`slug`, sql`''`].flatMap((slug) =>
      COUNTED_SPANS_MS.map((spanMs) =>
        writing((it: { up_to: number }) => {
          const span = sql.lit(spanMs);
          const text = sql`
            insert into execution_counts (workspace_id, slug, span_ms, from_ms, state, bucket, shard, count)
            select workspace_id, ${slug}, ${span}, created_at_ms - created_at_ms % ${span}, state, ${durationBucket()}, 0, sum(change)
            from execution_count_changes
            where seq <= ${it.up_to}
            group by 1, 2, 3, 4, 5, 6
            on conflict (workspace_id, slug, span_ms, from_ms, state, bucket, shard)
            do update set count = execution_counts.count + excluded.count`;
          return { compile: () => text.compile(build) };
        }),
      ),
    ),
    forget: writing((it: { up_to: number }) =>
      build.deleteFrom('execution_count_changes').where('seq', '<=', it.up_to),
    ),
  };
}
