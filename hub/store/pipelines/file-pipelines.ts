import type { AnnouncedPipeline } from '../../engine/ports/pipelines.ts';
import type { Database } from '../database.ts';
import type { Registrant } from '../endpoints/endpoint-rows.ts';
import type { KindPlan } from '../endpoints/plan-registration.ts';
import { slugsOf } from '../slugs.ts';
import type { Unit } from '../unit/statement.ts';
import { announcedRow, type CurrentPipeline, versionRow } from './pipeline-rows.ts';
import { queriesOf } from './queries.ts';

/** The pipelines of a file, to be registered in the transaction of its endpoints. */
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

  /** What the agent name has after the plan, and what stores it. */
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
