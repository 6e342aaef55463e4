import type { Database } from '../../platform/db/database.ts';
import { writing } from '../../platform/db/unit/precompile.ts';
import { type Statement, withEvent } from '../../platform/db/unit/statement.ts';

/**
 * Rows that one unit removes, each in several indexes: so few that no call waits 50 ms for it (decision 62, reads apart from
 * calls).
 */
export const ROWS_PER_BATCH = 100;

/** The facts of an execution that is to be removed. */
export interface Removable {
  readonly id: string;
  readonly last_seq: number;
}

/** Removes executions with their output, approvals and records of artifacts, in units of bounded size. */
export class ExecutionRemoval {
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#queries = queriesOf(database);
  }

  /** Removes rows in batches; the chunks of a long output go before the rest of its execution. */
  *units(rows: readonly Removable[]): Generator<Statement<never>[]> {
    let unit: Statement<never>[] = [];
    let size = 0;
    for (const { id, last_seq } of rows) {
      let seq = ROWS_PER_BATCH;
      for (; seq < last_seq; seq += ROWS_PER_BATCH)
        yield this.#queries.outputUpTo.map((remove) => remove({ execution_id: id, seq }));
      unit.push(
        ...this.#queries.output.map((remove) => remove({ execution_id: id })),
        this.#queries.approval({ execution_id: id }),
        this.#queries.artifacts({ execution_id: id }),
        withEvent(this.#queries.execution({ id }), { kind: 'execution_removed', executionId: id }),
      );
      size += Math.min(last_seq, ROWS_PER_BATCH) + 1;
      if (size < ROWS_PER_BATCH) continue;
      yield unit;
      [unit, size] = [[], 0];
    }
    if (unit.length > 0) yield unit;
  }
}

function queriesOf({ build, outputTables }: Database) {
  return {
    execution: writing((it: { id: string }) => build.deleteFrom('executions').where('id', '=', it.id)),
    output: outputTables.map((table) =>
      writing((it: { execution_id: string }) =>
        build.deleteFrom(table).where('execution_id', '=', it.execution_id),
      ),
    ),
    approval: writing((it: { execution_id: string }) =>
      build.deleteFrom('approvals').where('execution_id', '=', it.execution_id),
    ),
    artifacts: writing((it: { execution_id: string }) =>
      build.deleteFrom('artifacts').where('execution_id', '=', it.execution_id),
    ),
    outputUpTo: outputTables.map((table) =>
      writing((it: { execution_id: string; seq: number }) =>
        build.deleteFrom(table).where('execution_id', '=', it.execution_id).where('seq', '<=', it.seq),
      ),
    ),
  };
}
