import type { AnnouncedPipeline } from '../../pipelines/pipeline-ports.ts';
import { announcedRow, type CurrentPipeline, versionRow } from '../../pipelines/store/pipeline-rows.ts';
import { queriesOf } from '../../pipelines/store/queries.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Unit } from '../../platform/db/unit/statement.ts';
import { slugsOf } from '../../workspaces/store/slugs.ts';
import type { Registrant } from './endpoint-rows.ts';
import type { KindPlan } from './plan-registration.ts';

/** Registers the pipelines of a file in the transaction of its endpoints. */
export class FilePipelines {
  readonly #database: Database;
  readonly #newId: () => string;
  readonly #queries: ReturnType<typeof queriesOf>;
  readonly #slugs: ReturnType<typeof slugsOf>;

  constructor(database: Database, newId: () => string) {
    this.#database = database;
    this.#newId = newId;
    this.#queries = queriesOf(database);
    this.#slugs = slugsOf(database);
  }

  current(workspaceId: string): Promise<CurrentPipeline[]> {
    return this.#database.rows(this.#queries.ofWorkspace({ workspace_id: workspaceId }));
  }

  removals(rows: readonly CurrentPipeline[]): Unit<'overtaken'> {
    return rows.map(({ id, version }) => this.#queries.remove({ id, version }));
  }

  /** The pipelines of the agent name after the plan, and the statements that store them. */
  next(
    { add, change, keep }: KindPlan<CurrentPipeline, AnnouncedPipeline>,
    registrant: Registrant,
  ): { readonly rows: readonly CurrentPipeline[]; readonly unit: Unit<'overtaken'> } {
    const added = add.map((one) => announcedRow(this.#newId(), one, registrant));
    const changed = change.map(({ from, to: { definition } }) => ({
      ...from,
      definition,
      version: from.version + 1,
      updated_at_ms: registrant.nowMs,
    }));
    const queries = this.#queries;
    const unit = [
      ...changed.map((row) => queries.change({ ...row, from_version: row.version - 1 })),
      ...added.flatMap((row) => [this.#slugs.claimForFile(row), queries.add(row)]),
      ...[...changed, ...added].map((row) => queries.addVersion(versionRow(row))),
    ];
    return { rows: [...keep, ...changed, ...added], unit };
  }
}
