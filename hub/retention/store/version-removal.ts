import { type RawBuilder, sql } from 'kysely';
import { ROWS_PER_BATCH } from '../../executions/store/removal.ts';
import type { Database } from '../../platform/db/database.ts';
import { writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';

/** The number of versions to keep for each endpoint and pipeline as its history. */
const VERSIONS_KEPT = 50;

interface Versioned {
  readonly versions: string;
  readonly id: string;
  /** The owner of the versions: endpoints or pipelines. */
  readonly of: string;
  /** Whether a record still uses the version `old`, however old that is. */
  readonly isNeeded: RawBuilder<unknown>;
}

/**
 * An execution needs its version only until it has ended, at the latest a month after the call. A run of a pipeline may
 * wait for several approvals, and can be rerun while it is on record.
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

/** Removes versions of endpoints and pipelines that no record uses, in small units of work. */
export class VersionRemoval {
  readonly #database: Database;
  readonly #queries: readonly ReturnType<typeof queriesOf>[];

  constructor(database: Database) {
    this.#database = database;
    this.#queries = VERSIONED.map((versioned) => queriesOf(database, versioned));
  }

  /** Versions that were replaced before a moment, and versions whose owner's removal was noticed before it. */
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
    /** The removal of an endpoint or a pipeline leaves no date, so the sweep records when it first notices it. */
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
    /** The newest versions stay, however old. */
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
