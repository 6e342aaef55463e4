import type { StatsSpan } from '@svc/core/execution/execution-stats';
import type { ExecutionState } from '@svc/core/execution/state';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { once, type Query, reading } from '../../platform/db/unit/precompile.ts';

/** The rows of a group as pairs. */
export const PAIRS = sql`string_agg(bucket || ',' || count, ',')`;

/** One row for each state of a time bucket: only few rows cross from the reader thread. */
export interface CountRow {
  readonly at_ms: number;
  readonly state: ExecutionState;
  /** Duration bucket, count, and so on, separated by commas. */
  readonly durations: string;
}

/** An hour or a day is packed this long after its end. Migration 0051 has the same time. */
const PACKED_AFTER_MS = 4 * 3_600_000;
/** By the clock of the server, which also packs by it. */
const OVER_MS = sql`cast(extract(epoch from now()) * 1000 as bigint) - ${sql.lit(PACKED_AFTER_MS)}`;

/**
 * The counts of a span. For an hour or a day that is packed, the read takes the packed rows only (decision 114, packed counts). It does not
 * take those that are not over: they were packed by a clock that was ahead.
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
        where ${counts} and from_ms >= ${fromMs} and from_ms < ${untilMs} and from_ms + span_ms <= ${OVER_MS}
      )
      select from_ms as at_ms, state, durations from packed
      union all
      select span.from_ms, loose.state, loose.durations
      from generate_series(${from}, ${until} - 1, ${step}) as span(from_ms)
      cross join lateral (
        select state, ${PAIRS} as durations from execution_counts
        where ${counts} and from_ms = span.from_ms
        group by state
      ) as loose
      where span.from_ms not in (select from_ms from packed)
    ) as counted`;
}

/** The number of hours and days that one read looks at. */
const SPANS_PER_PAGE = 100;
/** The number of rows that are packed or removed in one transaction, for which a late end waits. */
const MAX_ROWS_PER_STEP = 1_000;

/** An hour or a day of a workspace (`slug` is empty) or an endpoint. */
interface Span {
  readonly workspace_id: string;
  readonly slug: string;
  readonly span_ms: number;
  readonly from_ms: number;
}

/** `loose_rows`: the number of rows to pack; 0 if the span is packed, or not over. */
export interface LooseSpan extends Span {
  readonly loose_rows: number;
}

const FIRST: Span = { workspace_id: '', slug: '', span_ms: 0, from_ms: 0 };

/** The pause after a slow statement, so that a hub that stops does not wait for long. */
const MAX_PAUSE_MS = 1_000;

/**
 * Packs the counts of hours and days that are over, ahead of reads (decision 114, packed counts). Each read and each packing is small, and half
 * of the time is left to calls.
 */
export class CountPacking {
  readonly #database: Pick<Database, 'build' | 'reader' | 'packsCounts'>;
  readonly #page: ReturnType<typeof pageQuery> | undefined;

  constructor(database: Pick<Database, 'build' | 'reader' | 'packsCounts'>) {
    this.#database = database;
    this.#page = database.packsCounts ? pageQuery(database) : undefined;
  }

  /**
   * First removes rows that were packed too early. Returns when it has looked at all hours and days, or when the signal aborts. Skips a
   * step while a late end or another hub holds the lock: the next run packs it. Throws the first error of a step after the other steps, so that one bad hour does not keep the rest from being packed.
   */
  async pack(signal?: AbortSignal): Promise<void> {
    if (this.#page === undefined) return;
    const errors: unknown[] = [];
    await this.#unpackEarly(signal).catch((error: unknown) => errors.push(error));
    for (let last: Span | undefined = FIRST; last !== undefined && !signal?.aborted; ) {
      const page: readonly LooseSpan[] = await this.#paced(this.#page(last));
      for (const step of packingSteps(page)) {
        if (signal?.aborted) return;
        await this.#paced(packing(this.#database, step)).catch((error: unknown) => errors.push(error));
      }
      last = page.at(-1);
    }
    if (errors.length > 0) throw errors[0];
  }

  /** Removes the packed rows of hours and days that are not over (decision 116, late ends). */
  async #unpackEarly(signal?: AbortSignal): Promise<void> {
    for (let isMore = true; isMore && !signal?.aborted; ) {
      const [row] = await this.#paced(unpacking(this.#database));
      isMore = Number(row?.removed) === MAX_ROWS_PER_STEP;
    }
  }

  async #paced<Row>(query: Query<Row>): Promise<Row[]> {
    const beganAtMs = performance.now();
    const rows = await this.#database.reader.rows(query);
    await Bun.sleep(Math.min(performance.now() - beganAtMs, MAX_PAUSE_MS));
    return rows;
  }
}

/** Spans of one workspace or endpoint and one length for each step, which packs a bounded number of rows, or one span. */
export function packingSteps(page: readonly LooseSpan[]): LooseSpan[][] {
  const steps: LooseSpan[][] = [];
  let rows = 0;
  for (const span of page.filter((one) => Number(one.loose_rows) > 0)) {
    const step = steps.at(-1);
    rows += Number(span.loose_rows);
    if (step?.[0] !== undefined && isSameKind(step[0], span) && rows <= MAX_ROWS_PER_STEP) step.push(span);
    else {
      steps.push([span]);
      rows = Number(span.loose_rows);
    }
  }
  return steps;
}

function isSameKind(one: Span, other: Span): boolean {
  return one.workspace_id === other.workspace_id && one.slug === other.slug && one.span_ms === other.span_ms;
}

/**
 * The next hours and days in the order of the key. The query jumps from one to the next, so each packed hour or day costs one entry of an index.
 * It reads the rows of the others, so that the packing finds them in memory.
 */
function pageQuery({ build }: Pick<Database, 'build'>) {
  const key = sql`workspace_id, slug, span_ms, from_ms`;
  const after = (values: RawBuilder<unknown>) => sql`
    select ${key} from execution_counts where (${key}) > (${values}) order by ${key} limit 1`;
  const ofSpan = sql`(span.workspace_id, span.slug, span.span_ms, span.from_ms)`;
  return reading((last: Span) => {
    const text = sql`
      with recursive span as (
        select *, 1 as place from (${after(sql`${last.workspace_id}, ${last.slug}, ${last.span_ms}, ${last.from_ms}`)}) as first
        union all
        select next.*, span.place + 1
        from span cross join lateral (
          ${after(sql`span.workspace_id, span.slug, span.span_ms, span.from_ms`)}
        ) as next
        where span.place < ${sql.lit(SPANS_PER_PAGE)}
      )
      select ${key},
        case
          when from_ms + span_ms > ${OVER_MS} then 0
          when (select 1 from execution_counts_packed where (${key}) = ${ofSpan} limit 1) = 1 then 0
          else (
            select count(*) filter (where count <> 0) from execution_counts where (${key}) = ${ofSpan}
          )
        end as loose_rows
      from span order by place`;
    return { compile: () => text.compile(build) };
  }) as unknown as (last: Span) => Query<LooseSpan>;
}

function packing({ build }: Pick<Database, 'build'>, step: readonly LooseSpan[]): Query<unknown> {
  const [{ workspace_id: workspaceId, slug, span_ms: spanMs } = FIRST] = step;
  const times = sql.join(step.map(({ from_ms: fromMs }) => Number(fromMs)));
  const text = sql`select svc_pack_counts(${workspaceId}, ${slug}, ${spanMs}, array[${times}]::bigint[])`;
  return once({ compile: () => text.compile(build) });
}

function unpacking({ build }: Pick<Database, 'build'>): Query<{ readonly removed: number }> {
  const text = sql<{ removed: number }>`select svc_unpack_early(${sql.lit(MAX_ROWS_PER_STEP)}) as removed`;
  return once({ compile: () => text.compile(build) }) as Query<{ readonly removed: number }>;
}
