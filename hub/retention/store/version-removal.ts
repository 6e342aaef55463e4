import { type RawBuilder, sql } from 'kysely';
import { ROWS_PER_BATCH } from '../../executions/store/removal.ts';
import type { Database } from '../../platform/db/database.ts';
import { writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';

/** Of each endpoint and pipeline: so far back one can see what has changed. */
const VERSIONS_KEPT = 50;

interface Versioned {
  readonly versions: string;
  readonly id: string;
  /** What they are versions of. */
  readonly of: string;
  /** Whether a record keeps to the version `old`, however long ago that gave way. */
  readonly isNeeded: RawBuilder<unknown>;
}

/**
 * An execution needs its version only until it has ended, which is a month after the call at the latest; a run of a pipeline may
 * wait for one person after another, and is run again as it was for as long as it is on record.
 */
const VERSIONED = [
  { versions: 'endpoint_versions', id: 'endpoint_id', of: 'endpoints', isNeeded: sql`1 = 0` },
  {
    versions: 'pipeline_versions',
    id: 'pipeline_id',
    of: 'pipelines',
    isNeeded: sql`exists (
      select 1 from pipeline_runs
      where pipeline_runs.pipeline_id = old.pipeline_id and pipeline_runs.pipeline_version = old.version
    )`,
  },
] as const satisfies readonly Versioned[];

/** Removes versions of endpoints and pipelines that nothing on record is of any more, in small units. */
export class VersionRemoval {
  readonly #database: Database;
  readonly #queries: readonly ReturnType<typeof queriesOf>[];

  constructor(database: Database) {
    this.#database = database;
    this.#queries = VERSIONED.map((versioned) => queriesOf(database, versioned));
  }

  /** Those that gave way before a moment; and of what is gone those that were seen to be so before it. */
  async sweep({ nowMs, beforeMs }: { nowMs: number; beforeMs: number }, signal?: AbortSignal): Promise<void> {
    for (const { markGone, removeGone, removeOld } of this.#queries) {
      await this.#all(markGone({ now_ms: nowMs }), signal);
      await this.#all(removeGone({ before_ms: beforeMs }), signal);
      await this.#all(removeOld({ before_ms: beforeMs }), signal);
    }
  }

  async #all(rows: Statement<'none_left'>, signal: AbortSignal | undefined): Promise<void> {
    while (!signal?.aborted) if ((await this.#database.commit([rows])) === 'none_left') return;
  }
}

function queriesOf({ build }: Database, { versions, id, of, isNeeded }: Versioned) {
  const [table, key] = [sql.table(versions), sql.ref(id)];
  const isGone = sql`not exists (select 1 from ${sql.table(of)} as whole where whole.id = old.${key})`;
  const some = (condition: RawBuilder<unknown>) => sql`(${key}, version) in (
    select old.${key}, old.version from ${table} as old where ${condition} limit ${sql.lit(ROWS_PER_BATCH)}
  )`;
  const statement = <Given extends object>(text: (it: Given) => RawBuilder<unknown>) =>
    writing((it: Given) => ({ compile: () => text(it).compile(build) }), { unlessChanged: 'none_left' });
  return {
    /** Nobody says when an endpoint or a pipeline goes: that it is gone is noted as soon as it is seen. */
    markGone: statement(
      (it: { now_ms: number }) =>
        sql`update ${table} set gone_since_ms = ${it.now_ms}
          where ${some(sql`old.gone_since_ms is null and ${isGone}`)}`,
    ),
    removeGone: statement(
      (it: { before_ms: number }) =>
        sql`delete from ${table}
          where ${some(sql`old.gone_since_ms < ${it.before_ms} and ${isGone} and not ${isNeeded}`)}`,
    ),
    /** The newest stay, however old. */
    removeOld: statement(
      (it: { before_ms: number }) =>
        sql`delete from ${table} where ${some(sql`
        exists (
          select 1 from ${table} as later where later.${key} = old.${key}
            and later.version > old.version and later.created_at_ms < ${it.before_ms}
        ) and exists (
          select 1 from ${table} as newer where newer.${key} = old.${key}
            and newer.version >= old.version + ${sql.lit(VERSIONS_KEPT)}
        ) and not ${isNeeded}`)}`,
    ),
  };
}
