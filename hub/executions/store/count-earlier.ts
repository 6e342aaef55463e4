import { EXECUTION_STATES, hasEnded } from '@svc/core/execution/state';
import { type RawBuilder, sql } from 'kysely';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, writing } from '../../platform/db/unit/precompile.ts';

/** The mark in `execution_counts_earlier` when nothing is left to count. */
export const EARLIER_DONE = '';
/** The lengths of time buckets: an hour and a day. */
export const COUNTED_SPANS_MS: readonly number[] = [3_600_000, 86_400_000];
/** The number of rows per commit, so small that its commit delays no call. */
const ROWS_PER_BATCH = 500;

/**
 * Counts executions that ended before the counting triggers existed (migration 0019), newest first, in small commits.
 * Several hubs may do it at once: the mark moves by compare-and-set.
 */
export class EarlierCounts {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  /** Returns when everything is counted, or when the signal aborts. */
  async count(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted) {
      const mark = (await firstRow(this.#database, this.#queries.mark({})))?.counted_down_to ?? EARLIER_DONE;
      if (mark === EARLIER_DONE) break;
      await this.#step(mark);
    }
    while (!signal?.aborted && (await this.#forgetSome()) === 'stored');
  }

  async #step(mark: string): Promise<void> {
    const { last, move, counts } = this.#queries;
    const [row] = await this.#database.reader.rows(last({ before_id: mark }));
    const to = row?.id ?? EARLIER_DONE;
    const range = { from_id: to, before_id: mark };
    await this.#database.commit([move({ from: mark, to }), ...counts.map((count) => count(range))]);
  }

  /** Triggers keep notes about rows only for this count. */
  #forgetSome() {
    return this.#database.commit([this.#queries.forget({})]);
  }
}

interface Range {
  readonly from_id: string;
  readonly before_id: string;
}

function queriesOf(database: Database) {
  const { build } = database;
  return {
    mark: reading(() =>
      build.selectFrom('execution_counts_earlier').select('counted_down_to').where('id', '=', 1),
    ),
    last: reading((it: { before_id: string }) =>
      build
        .selectFrom('executions')
        .select('id')
        .where('id', '<', it.before_id)
        .orderBy('id', 'desc')
        .limit(1)
        .offset(ROWS_PER_BATCH - 1),
    ),
    move: writing(
      (it: { from: string; to: string }) =>
        build
          .updateTable('execution_counts_earlier')
          .set({ counted_down_to: it.to })
          .where('counted_down_to', '=', it.from),
      { unlessChanged: 'moved' },
    ),
    counts: [sql`slug`, sql`''`].flatMap((slug) =>
      COUNTED_SPANS_MS.map((spanMs) => counting(database, slug, spanMs)),
    ),
    forget: writing(
      () =>
        build
          .deleteFrom('execution_counts_by_trigger')
          .where('execution_id', 'in', (some) =>
            some.selectFrom('execution_counts_by_trigger').select('execution_id').limit(ROWS_PER_BATCH),
          ),
      { unlessChanged: 'none_left' },
    ),
  };
}

/** Executions that were final before the triggers existed never change, so they are counted once. */
function counting({ build }: Database, slug: RawBuilder<unknown>, spanMs: number) {
  const span = sql.lit(spanMs);
  const ended = sql.join(EXECUTION_STATES.filter(hasEnded).map((state) => sql.lit(state)));
  return writing((it: Range) => {
    const text = sql`
      insert into execution_counts (workspace_id, slug, span_ms, from_ms, state, bucket, shard, count)
      select workspace_id, ${slug}, ${span}, created_at_ms - created_at_ms % ${span}, state, ${durationBucket()}, 0, count(*)
      from executions
      where id >= ${it.from_id} and id < ${it.before_id} and state in (${ended})
        and not exists (select 1 from execution_counts_by_trigger t where t.execution_id = executions.id)
      group by 1, 2, 3, 4, 5, 6
      on conflict (workspace_id, slug, span_ms, from_ms, state, bucket, shard)
      do update set count = execution_counts.count + excluded.count`;
    return { compile: () => text.compile(build) };
  });
}

/** The bucket of `duration_ms`, as in core/execution/duration-bucket.ts. */
export function durationBucket(): RawBuilder<unknown> {
  const octaves = Array.from({ length: 32 }, (_, at) => {
    const from = 2 ** (at + 4);
    return `when duration_ms < ${2 * from} then ${16 + 8 * at} + (duration_ms - ${from}) / ${from / 8}`;
  });
  return sql.raw(
    `case when duration_ms is null then -1 when duration_ms < 0 then 0 when duration_ms < 16 then duration_ms ${octaves.join(' ')} else 271 end`,
  );
}
