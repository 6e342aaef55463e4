import { EXECUTION_STATES, hasEnded } from '@svc/core/execution/state';
import type { Plan } from '@svc/core/plan/plans';
import { sql } from 'kysely';
import { ROWS_PER_BATCH } from '../../executions/store/removal.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
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

/** The records that a sweep reads at once. */
export const SWEPT_AT_ONCE = 500;

export type ArtifactKey = Pick<Artifact, 'executionId' | 'id'>;

/** A record, and what decides whether it stays. */
export interface SweptArtifact extends ArtifactKey, Pick<Artifact, 'state' | 'createdAtMs'> {
  /** Of its workspace; undefined when that is gone. */
  readonly plan: Plan | undefined;
  readonly hasExecution: boolean;
}

/** A stored file that its plan no longer keeps, and why, for people. */
export interface ExpiredArtifact extends ArtifactKey {
  readonly plan: Plan;
  readonly reason: string;
}

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
    await this.#commitAll(artifacts.map((one) => this.#queries.add(rowOf(one))));
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

  /** The next records behind this key, in the order of their keys; fewer than `SWEPT_AT_ONCE` are the last ones. */
  async behind({ executionId, id }: ArtifactKey): Promise<SweptArtifact[]> {
    const rows = await this.#database.reader.rows(this.#queries.behind({ execution_id: executionId, id }));
    return rows.map(({ plan, execution, ...row }) => ({
      ...recordOf(row),
      plan: plan ?? undefined,
      hasExecution: execution !== null,
    }));
  }

  /** Removes the records of executions that have no record of their own. */
  async removeOrphans(executionIds: readonly string[]): Promise<void> {
    await this.#commitAll(executionIds.map((id) => this.#queries.orphans({ execution_id: id })));
  }

  /** Records stored files as missing, unless the plan of their workspace has changed: their bytes may go. */
  async expire(expired: readonly ExpiredArtifact[]): Promise<void> {
    await this.#commitAll(
      expired.map(({ executionId, id, plan, reason }) =>
        this.#queries.expired({ execution_id: executionId, id, plan, reason }),
      ),
    );
  }

  async #commitAll(statements: readonly Statement<never>[]): Promise<void> {
    for (let at = 0; at < statements.length; at += ROWS_PER_BATCH)
      await this.#database.commit(statements.slice(at, at + ROWS_PER_BATCH));
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
    // Values of subqueries: for a join PostgreSQL would hash all executions.
    behind: reading((it: { execution_id: string; id: number }) =>
      build
        .selectFrom('artifacts')
        .select(['artifacts.execution_id', 'artifacts.id', 'artifacts.state', 'artifacts.created_at_ms'])
        .select((row) => [
          row
            .selectFrom('workspaces')
            .select('workspaces.plan')
            .whereRef('workspaces.id', '=', 'artifacts.workspace_id')
            .as('plan'),
          row
            .selectFrom('executions')
            .select('executions.id')
            .whereRef('executions.id', '=', 'artifacts.execution_id')
            .as('execution'),
        ])
        .where((row) =>
          row(row.refTuple('artifacts.execution_id', 'artifacts.id'), '>', row.tuple(it.execution_id, it.id)),
        )
        .orderBy('artifacts.execution_id')
        .orderBy('artifacts.id')
        .limit(sql.lit(SWEPT_AT_ONCE)),
    ),
    expired: writing((it: { execution_id: string; id: number; plan: Plan; reason: string }) =>
      build
        .updateTable('artifacts')
        .set({ state: 'missing', reason: it.reason, size: 0 })
        .where('execution_id', '=', it.execution_id)
        .where('id', '=', it.id)
        .where('state', '=', 'stored')
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('workspaces')
              .select('workspaces.id')
              .whereRef('workspaces.id', '=', 'artifacts.workspace_id')
              .where('workspaces.plan', '=', it.plan),
          ),
        ),
    ),
    orphans: writing((it: { execution_id: string }) =>
      build
        .deleteFrom('artifacts')
        .where('execution_id', '=', it.execution_id)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('executions')
                .select('executions.id')
                .whereRef('executions.id', '=', 'artifacts.execution_id'),
            ),
          ),
        ),
    ),
  };
}
