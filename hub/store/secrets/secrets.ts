import type { AuditEntry } from '@svc/core/audit/entry';
import type { Secret, Secrets } from '../../engine/ports/secrets.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { type Database, firstRow } from '../database.ts';
import { reading, slotsOf, writing } from '../unit/precompile.ts';
import type { SecretRow } from './table.ts';

export class StoredSecrets implements Secrets {
  readonly #database: Database;
  readonly #trail: AuditTrail;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, trail: AuditTrail) {
    this.#database = database;
    this.#trail = trail;
    this.#queries = queriesOf(database);
  }

  async list(workspaceId: string): Promise<Secret[]> {
    const rows = await this.#database.rows(this.#queries.list({ workspace_id: workspaceId }));
    return rows.map(secretOf);
  }

  async find(workspaceId: string, name: string): Promise<Secret | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ workspace_id: workspaceId, name }));
    return row && secretOf(row);
  }

  async set(secret: Secret, limit: number, entry: AuditEntry): Promise<boolean> {
    const { workspaceId: workspace_id, name } = secret;
    const unit = [this.#queries.set(rowOf(secret)), this.#queries.isWithin({ workspace_id, name, limit })];
    return (await this.#trail.commit(unit, entry)) === 'stored';
  }

  async remove(workspaceId: string, name: string, entry: AuditEntry): Promise<boolean> {
    const unit = [this.#queries.remove({ workspace_id: workspaceId, name })];
    return (await this.#trail.commit(unit, entry)) === 'stored';
  }
}

function secretOf(row: SecretRow): Secret {
  return {
    workspaceId: row.workspace_id,
    name: row.name,
    sealed: row.sealed,
    agents: row.agents === null ? undefined : (JSON.parse(row.agents) as string[]),
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
    updatedBy: row.updated_by,
  };
}

function rowOf(secret: Secret): SecretRow {
  return {
    workspace_id: secret.workspaceId,
    name: secret.name,
    sealed: secret.sealed,
    agents: secret.agents === undefined ? null : JSON.stringify(secret.agents),
    created_at_ms: secret.createdAtMs,
    updated_at_ms: secret.updatedAtMs,
    updated_by: secret.updatedBy,
  };
}

const COLUMNS = [
  'workspace_id',
  'name',
  'sealed',
  'agents',
  'created_at_ms',
  'updated_at_ms',
  'updated_by',
] as const;

type Key = Pick<SecretRow, 'workspace_id' | 'name'>;

function queriesOf({ build }: Database) {
  const secrets = build.selectFrom('secrets').select(COLUMNS);
  return {
    list: reading((it: { workspace_id: string }) =>
      secrets.where('workspace_id', '=', it.workspace_id).orderBy('name'),
    ),
    find: reading((it: Key) =>
      secrets.where('workspace_id', '=', it.workspace_id).where('name', '=', it.name),
    ),
    set: writing((it: SecretRow) =>
      build
        .insertInto('secrets')
        .values(slotsOf(it, COLUMNS))
        .onConflict((conflict) =>
          conflict.columns(['workspace_id', 'name']).doUpdateSet((row) => ({
            sealed: row.ref('excluded.sealed'),
            agents: row.ref('excluded.agents'),
            updated_at_ms: row.ref('excluded.updated_at_ms'),
            updated_by: row.ref('excluded.updated_by'),
          })),
        ),
    ),
    /** Changes nothing: the unit is refused where the row that it has just written is one too many. */
    isWithin: writing(
      (it: Key & { limit: number }) =>
        build
          .updateTable('secrets')
          .set((row) => ({ updated_at_ms: row.ref('updated_at_ms') }))
          .where('workspace_id', '=', it.workspace_id)
          .where('name', '=', it.name)
          .where(
            (row) =>
              row
                .selectFrom('secrets')
                .select((all) => all.fn.countAll<number>().as('count'))
                .where('workspace_id', '=', it.workspace_id),
            '<=',
            it.limit,
          ),
      { unlessChanged: 'too_many' },
    ),
    remove: writing(
      (it: Key) =>
        build.deleteFrom('secrets').where('workspace_id', '=', it.workspace_id).where('name', '=', it.name),
      { unlessChanged: 'unknown' },
    ),
  };
}
