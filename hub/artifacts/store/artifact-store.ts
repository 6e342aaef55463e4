import { EXECUTION_STATES, hasEnded } from '@svc/core/execution/state';
import type { Plan } from '@svc/core/plan/plans';
import { sql } from 'kysely';
import { ROWS_PER_BATCH } from '../../executions/store/removal.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Artifact } from '../artifact-ports.ts';
import type { ArtifactRow } from './table.ts';

const COLUMNS = [
  'execution_id',
  'id',
  'workspace_id',
  'name',
  'size',
  'state',
  'reason',
  'sha256',
  'created_at_ms',
] as const satisfies readonly (keyof ArtifactRow)[];

type ArtifactKey = Pick<Artifact, 'executionId' | 'id'>;

/** The records of the files that executions left. */
export class Artifacts {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  /** By their names. */
  async of(executionId: string): Promise<Artifact[]> {
    const rows = await this.#database.rows(this.#queries.of({ execution_id: executionId }));
    return rows.map((row) => recordOf(row));
  }

  async find({ executionId, id }: ArtifactKey): Promise<Artifact | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ execution_id: executionId, id }));
    return row && recordOf(row);
  }

  /** The bytes of the stored and uploading files of a workspace; a missing one has none. */
  async usedBytes(workspaceId: string): Promise<number> {
    const row = await firstRow(this.#database, this.#queries.used({ workspace_id: workspaceId }));
    return Number(row?.bytes ?? 0);
  }

  async add(artifacts: readonly Artifact[]): Promise<void> {
    for (let at = 0; at < artifacts.length; at += ROWS_PER_BATCH)
      await this.#database.commit(
        artifacts.slice(at, at + ROWS_PER_BATCH).map((one) => this.#queries.add(rowOf(one))),
      );
  }

  /** Ends an upload. False, and without effect, after it has ended. */
  async end(
    { executionId, id }: ArtifactKey,
    end: { readonly sha256: string } | { readonly reason: string },
  ): Promise<boolean> {
    const it = { execution_id: executionId, id };
    const statement =
      'sha256' in end
        ? this.#queries.stored({ ...it, sha256: end.sha256 })
        : this.#queries.missing({ ...it, reason: end.reason });
    return (await this.#database.commit([statement])) === 'stored';
  }

  /** Ends some uploads of executions that have ended. False if there are none. */
  async endSomeUnfinished(reason: string): Promise<boolean> {
    return (await this.#database.commit([this.#queries.unfinished({ reason })])) === 'stored';
  }

  /** Records some stored files of a plan, from before a time, as missing: their bytes may go. False if there are none. */
  async endSomeExpired(plan: Plan, beforeMs: number, reason: string): Promise<boolean> {
    const statement = this.#queries.expired({ plan, before_ms: beforeMs, reason });
    return (await this.#database.commit([statement])) === 'stored';
  }

  /** Removes some records without an execution: a hub of an earlier version does not know them. False if there are none. */
  async removeSomeOrphans(): Promise<boolean> {
    return (await this.#database.commit([this.#queries.orphans({})])) === 'stored';
  }
}

function queriesOf({ build }: Database) {
  const ofExecution = (it: { execution_id: string }) =>
    build.selectFrom('artifacts').select(COLUMNS).where('execution_id', '=', it.execution_id);
  const uploading = (it: { execution_id: string; id: number }) =>
    build
      .updateTable('artifacts')
      .where('execution_id', '=', it.execution_id)
      .where('id', '=', it.id)
      .where('state', '=', 'uploading');
  const none = { unlessChanged: 'none' } as const;
  const ended = EXECUTION_STATES.filter(hasEnded);
  return {
    of: reading((it: { execution_id: string }) => ofExecution(it).orderBy('name').orderBy('id')),
    find: reading((it: { execution_id: string; id: number }) => ofExecution(it).where('id', '=', it.id)),
    used: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('artifacts')
        .select(sql<number>`coalesce(sum(size), 0)`.as('bytes'))
        .where('workspace_id', '=', it.workspace_id),
    ),
    add: writing((it: ArtifactRow) => build.insertInto('artifacts').values(slotsOf(it, COLUMNS))),
    stored: writing(
      (it: { execution_id: string; id: number; sha256: string }) =>
        uploading(it).set({ state: 'stored', sha256: it.sha256 }),
      none,
    ),
    missing: writing(
      (it: { execution_id: string; id: number; reason: string }) =>
        uploading(it).set({ state: 'missing', reason: it.reason, size: 0 }),
      none,
    ),
    // `lit`, because the partial index is used for this text only.
    unfinished: writing(
      (it: { reason: string }) =>
        build
          .updateTable('artifacts')
          .set({ state: 'missing', reason: it.reason, size: 0 })
          .where('state', '=', sql.lit<'uploading'>('uploading'))
          .where('execution_id', 'in', (some) =>
            some
              .selectFrom('artifacts as open')
              .innerJoin('executions', 'executions.id', 'open.execution_id')
              .select('open.execution_id')
              .where('open.state', '=', sql.lit<'uploading'>('uploading'))
              .where('executions.state', 'in', ended)
              .limit(sql.lit(ROWS_PER_BATCH)),
          ),
      none,
    ),
    expired: writing(
      (it: { plan: Plan; before_ms: number; reason: string }) =>
        build
          .updateTable('artifacts')
          .set({ state: 'missing', reason: it.reason, size: 0 })
          .where('state', '=', sql.lit<'stored'>('stored'))
          .where('created_at_ms', '<', it.before_ms)
          .where('execution_id', 'in', (some) =>
            some
              .selectFrom('artifacts as old')
              .innerJoin('workspaces', 'workspaces.id', 'old.workspace_id')
              .select('old.execution_id')
              .where('workspaces.plan', '=', it.plan)
              .where('old.state', '=', sql.lit<'stored'>('stored'))
              .where('old.created_at_ms', '<', it.before_ms)
              .limit(sql.lit(ROWS_PER_BATCH)),
          ),
      none,
    ),
    orphans: writing(
      () =>
        build.deleteFrom('artifacts').where('execution_id', 'in', (some) =>
          some
            .selectFrom('artifacts as kept')
            .select('kept.execution_id')
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('executions')
                    .select('executions.id')
                    .whereRef('executions.id', '=', 'kept.execution_id'),
                ),
              ),
            )
            .limit(sql.lit(ROWS_PER_BATCH)),
        ),
      none,
    ),
  };
}
