import { hasRunEnded, RUN_STATES } from '@svc/core/pipeline/run/state';
import type { Database } from '../../../platform/db/database.ts';
import { reading, writing } from '../../../platform/db/unit/precompile.ts';
import type { Statement } from '../../../platform/db/unit/statement.ts';

/** A run has up to a thousand nodes. */
const RUNS_PER_BATCH = 20;

/** Removes ended runs with their nodes, in units of work of bounded size. Their executions are removed separately. */
export class RunRemoval {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  /** Removes runs before this id, oldest first; false when none is left. */
  async removeSome(beforeId: string): Promise<boolean> {
    const rows = await this.#database.reader.rows(this.#queries.ended({ before_id: beforeId }));
    for (const { id } of rows) await this.#database.commit(this.#unit(id));
    return rows.length > 0;
  }

  #unit(run_id: string): Statement<never>[] {
    const { nodes, input, run } = this.#queries;
    return [nodes({ run_id }), input({ run_id }), run({ run_id })];
  }
}

function queriesOf({ build }: Database) {
  return {
    ended: reading((it: { before_id: string }) =>
      build
        .selectFrom('pipeline_runs')
        .select('id')
        .where('id', '<', it.before_id)
        .where(
          'state',
          'in',
          RUN_STATES.filter((state) => hasRunEnded({ state })),
        )
        .orderBy('id')
        .limit(RUNS_PER_BATCH),
    ),
    nodes: writing((it: { run_id: string }) =>
      build.deleteFrom('pipeline_nodes').where('run_id', '=', it.run_id),
    ),
    input: writing((it: { run_id: string }) =>
      build.deleteFrom('pipeline_run_inputs').where('run_id', '=', it.run_id),
    ),
    run: writing((it: { run_id: string }) => build.deleteFrom('pipeline_runs').where('id', '=', it.run_id)),
  };
}
