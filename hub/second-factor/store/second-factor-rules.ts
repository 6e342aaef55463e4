import type { AuditEntry } from '@svc/core/audit/entry';
import type { AuditWriter } from '../../audit/store/audit-writer.ts';
import type { Database } from '../../platform/db/database.ts';
import { writing } from '../../platform/db/unit/precompile.ts';
import { makingStale } from '../../platform/db/unit/statement.ts';

/** A change of the rule of a workspace. */
export interface RuleChange {
  readonly workspaceId: string;
  /** The person who changes it. */
  readonly userId: string;
  readonly isRequired: boolean;
}

/** Whether workspaces demand a second factor of their members (decision 100, second factor). */
export class SecondFactorRules {
  readonly #auditWriter: AuditWriter;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, auditWriter: AuditWriter) {
    this.#auditWriter = auditWriter;
    this.#queries = queriesOf(database);
  }

  /**
   * `as_it_is`: the workspace has this rule already. `no_factor`: the person who demands a factor has none. `owner_without`: the
   * owner has none, and would be locked out.
   */
  async change(
    { workspaceId, userId, isRequired }: RuleChange,
    entry: AuditEntry,
  ): Promise<'stored' | 'as_it_is' | 'no_factor' | 'owner_without'> {
    const { hasFactor, ownerHasFactor, demandFactor, endDemand } = this.#queries;
    const it = { workspace_id: workspaceId };
    const unit = isRequired
      ? [hasFactor({ id: userId }), ownerHasFactor(it), demandFactor(it)]
      : [endDemand(it)];
    return await this.#auditWriter.commit(makingStale(unit, { kind: 'workspace', id: workspaceId }), entry);
  }
}

function queriesOf({ build }: Database) {
  return {
    /** Changes nothing. Finds a user only if they have a second factor. */
    hasFactor: writing(
      (it: { id: string }) =>
        build
          .updateTable('users')
          .set((row) => ({ email: row.ref('email') }))
          .where('id', '=', it.id)
          .where('second_factor_since_ms', 'is not', null),
      { unlessChanged: 'no_factor' },
    ),
    ownerHasFactor: writing(
      (it: { workspace_id: string }) =>
        build
          .updateTable('users')
          .set((row) => ({ email: row.ref('email') }))
          .where('second_factor_since_ms', 'is not', null)
          .where('id', '=', (of) =>
            of.selectFrom('workspaces').select('owner_id').where('workspaces.id', '=', it.workspace_id),
          ),
      { unlessChanged: 'owner_without' },
    ),
    demandFactor: writing(
      (it: { workspace_id: string }) =>
        build
          .updateTable('workspaces')
          .set({ second_factor: 'required' })
          .where('id', '=', it.workspace_id)
          .where('second_factor', 'is', null),
      { unlessChanged: 'as_it_is' },
    ),
    endDemand: writing(
      (it: { workspace_id: string }) =>
        build
          .updateTable('workspaces')
          .set({ second_factor: null })
          .where('id', '=', it.workspace_id)
          .where('second_factor', 'is not', null),
      { unlessChanged: 'as_it_is' },
    ),
  };
}
