import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import { type Database, firstRow } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import type { Secret, StoredDecision } from '../secret-ports.ts';
import type { SecretDecisionRow, SecretRow } from './table.ts';

export class Secrets {
  readonly #database: Database;
  readonly #auditWriter: AuditWriter;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, auditWriter: AuditWriter) {
    this.#database = database;
    this.#auditWriter = auditWriter;
    this.#queries = queriesOf(database);
  }

  /** All secrets of a workspace, sorted by name. */
  async list(workspaceId: string): Promise<Secret[]> {
    const rows = await this.#database.reader.rows(this.#queries.list({ workspace_id: workspaceId }));
    return rows.map(secretOf);
  }

  async find(workspaceId: string, name: string): Promise<Secret | undefined> {
    const row = await firstRow(this.#database, this.#queries.find({ workspace_id: workspaceId, name }));
    return row && secretOf(row);
  }

  /**
   * Creates a secret, or replaces the one with this name. A replaced secret keeps its creation time. It keeps `grantedAtMs`
   * when its agents are the same, because a new value gives nobody new access. False when the workspace would exceed
   * the limit; the count is part of the transaction, so concurrent requests cannot exceed it either.
   */
  async set(secret: Secret, limit: number, entry: AuditEntry): Promise<boolean> {
    const { workspaceId: workspace_id, name, agents } = secret;
    const row = rowOf({ ...secret, agents: agents && JSON.stringify(agents) });
    const unit = [this.#queries.set(row), this.#queries.isWithin({ workspace_id, name, limit })];
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }

  /** The decisions about the secrets of a workspace, sorted by secret. */
  async decisions(workspaceId: string): Promise<StoredDecision[]> {
    const rows = await this.#database.rows(this.#queries.decisions({ workspace_id: workspaceId }));
    return rows.map(decisionOf);
  }

  /** Stores a decision in place of the previous one. False when the secret was deleted. */
  async decide(
    decision: StoredDecision & { readonly workspaceId: string },
    entry: AuditEntry,
  ): Promise<boolean> {
    const { workspaceId: workspace_id, secret } = decision;
    const isThere = this.#queries.isThere({ workspace_id, name: secret });
    const unit = [isThere, this.#queries.decide(rowOf(decision))];
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }

  /** Removes the secret and the decisions about it. False when there is no such secret. */
  async remove(workspaceId: string, name: string, entry: AuditEntry): Promise<boolean> {
    const it = { workspace_id: workspaceId, name };
    const unit = [this.#queries.remove(it), this.#queries.forgetDecisions(it)];
    return (await this.#auditWriter.commit(unit, entry)) === 'stored';
  }
}

function secretOf(row: SecretRow): Secret {
  const agents = row.agents === null ? undefined : (JSON.parse(row.agents) as string[]);
  return { ...recordOf(row), agents, grantedAtMs: row.granted_at_ms ?? row.updated_at_ms };
}

function decisionOf(row: SecretDecisionRow): StoredDecision {
  const { workspaceId: _, ...decision } = recordOf(row);
  return decision;
}

const COLUMNS = [
  'workspace_id',
  'name',
  'sealed',
  'agents',
  'created_at_ms',
  'updated_at_ms',
  'updated_by',
  'granted_at_ms',
] as const;
const DECISION_KEY = ['workspace_id', 'secret', 'kind', 'subject_id'] as const;
const DECIDED = ['state', 'decided_by', 'decided_at_ms'] as const;

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
            granted_at_ms: row
              .case()
              .when(
                row(row.fn.coalesce('secrets.agents', row.val('')), '=', (all) =>
                  all.fn.coalesce('excluded.agents' as 'secrets.agents', all.val('')),
                ),
              )
              .then(row.fn.coalesce('secrets.granted_at_ms', 'secrets.updated_at_ms'))
              .else(row.ref('excluded.granted_at_ms'))
              .end(),
          })),
        ),
    ),
    /** Changes nothing. It fails the unit of work when the row just written exceeds the limit. */
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
    decisions: reading((it: { workspace_id: string }) =>
      build
        .selectFrom('secret_decisions')
        .select([...DECISION_KEY, ...DECIDED])
        .where('workspace_id', '=', it.workspace_id)
        .orderBy('secret')
        .orderBy('kind')
        .orderBy('subject_id'),
    ),
    decide: writing((it: SecretDecisionRow) =>
      build
        .insertInto('secret_decisions')
        .values(slotsOf(it, [...DECISION_KEY, ...DECIDED]))
        .onConflict((conflict) => conflict.columns([...DECISION_KEY]).doUpdateSet(slotsOf(it, DECIDED))),
    ),
    /** Changes nothing. It fails the unit of work when the secret was deleted. */
    isThere: writing(
      (it: Key) =>
        build
          .updateTable('secrets')
          .set((row) => ({ updated_at_ms: row.ref('updated_at_ms') }))
          .where('workspace_id', '=', it.workspace_id)
          .where('name', '=', it.name),
      { unlessChanged: 'unknown' },
    ),
    forgetDecisions: writing((it: Key) =>
      build
        .deleteFrom('secret_decisions')
        .where('workspace_id', '=', it.workspace_id)
        .where('secret', '=', it.name),
    ),
    remove: writing(
      (it: Key) =>
        build.deleteFrom('secrets').where('workspace_id', '=', it.workspace_id).where('name', '=', it.name),
      { unlessChanged: 'unknown' },
    ),
  };
}
