import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { QuotaClaim } from '../execution-ports.ts';
import type { Quota } from './quota.ts';

/** The condition of the running hosted executions, in the words of their partial index; otherwise the index is not used. */
export const RUNNING_HOSTED = sql<boolean>`agent_name = 'hosted' and state = 'running'`;

/**
 * The claim of an execution on the hosted runner, as statements of the unit that begins it (decision 50, the queue of the hosted
 * runner).
 *
 * There is no counter row, which a crash could leave wrong: the used slots are the executions that are stored as running. Each unit
 * first locks the row of its workspace, so that two executions never begin by the same count.
 */
export class HostedSlots {
  readonly #quota: Quota;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database, quota: Quota) {
    this.#quota = quota;
    this.#queries = queriesOf(database);
  }

  /** Comes first in the unit: locks the rows that all units of the workspace contend for. */
  claims(executionId: string, { workspaceId, hosted }: QuotaClaim): Statement<'hosted_quota_exceeded'>[] {
    if (hosted === undefined) return [];
    const turn = this.#queries.turn({ workspace_id: workspaceId, id: executionId });
    return [turn, this.#quota.takeHosted(workspaceId, hosted)];
  }

  /**
   * Comes after all claims.
   *
   * NOTE: It is a statement of its own: on PostgreSQL it then sees what was committed while the claims waited for their rows.
   */
  check(executionId: string, { workspaceId, hosted }: QuotaClaim): Statement<'no_place'>[] {
    const concurrent = hosted?.concurrent;
    if (concurrent === undefined) return [];
    return [this.#queries.hasPlace({ workspace_id: workspaceId, id: executionId, concurrent })];
  }
}

interface Claimant {
  readonly workspace_id: string;
  readonly id: string;
}

function queriesOf({ build }: Database) {
  return {
    turn: writing(
      (it: Claimant) =>
        build
          .insertInto('hosted_workspaces')
          .values({ workspace_id: it.workspace_id, turn: 1, network: 0 })
          .onConflict((conflict) =>
            conflict
              .column('workspace_id')
              .doUpdateSet((row) => ({ turn: row('hosted_workspaces.turn', '+', 1) })),
          ),
      { contended: true },
    ),
    // The execution itself is not counted: an earlier attempt, whose answer was lost, may have begun it.
    hasPlace: writing(
      (it: Claimant & { readonly concurrent: number }) =>
        build
          .updateTable('hosted_workspaces')
          .set((row) => ({ turn: row('turn', '+', 1) }))
          .where('workspace_id', '=', it.workspace_id)
          .where(
            (row) =>
              row
                .selectFrom('executions')
                .select((of) => of.fn.countAll<number>().as('running'))
                .where('executions.workspace_id', '=', it.workspace_id)
                .where(RUNNING_HOSTED)
                .where('executions.id', '!=', it.id),
            '<',
            it.concurrent,
          ),
      { unlessChanged: 'no_place' },
    ),
  };
}
