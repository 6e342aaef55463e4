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
    let ids: string[] = [];
    let size = 0;
    for (const { id, last_seq } of rows) {
      let seq = ROWS_PER_BATCH;
      for (; seq < last_seq; seq += ROWS_PER_BATCH)
        yield this.#queries.outputUpTo.map((remove) => remove({ execution_id: id, seq }));
      ids.push(id);
      size += Math.min(last_seq, ROWS_PER_BATCH) + 1;
      if (size < ROWS_PER_BATCH) continue;
      yield this.#unit(ids);
      [ids, size] = [[], 0];
    }
    if (ids.length > 0) yield this.#unit(ids);
  }

  /** One statement for each table: PostgreSQL takes longer for a statement than for a row. */
  #unit(executionIds: readonly string[]): Statement<never>[] {
    const list = listOf(executionIds);
    return [
      ...this.#queries.ofExecutions.map((remove) => remove(list)),
      withEvent(this.#queries.executions(list), { kind: 'executions_removed', executionIds }),
    ];
  }
}

/** The ids of one unit, each under a name of its own: the text of a prepared statement has a fixed number of values. */
type IdList = Readonly<Record<string, string>>;

const NAMES = Array.from({ length: ROWS_PER_BATCH }, (_, at) => `id_${at}`);

/** A short list repeats its last id. */
function listOf(ids: readonly string[]): IdList {
  const last = ids.at(-1) ?? '';
  return Object.fromEntries(NAMES.map((name, at) => [name, ids[at] ?? last]));
}

function queriesOf({ build, outputTables }: Database) {
  const idsOf = (it: IdList) => NAMES.map((name) => it[name] ?? '');
  return {
    executions: writing((it: IdList) => build.deleteFrom('executions').where('id', 'in', idsOf(it))),
    ofExecutions: [...outputTables, 'approvals' as const, 'artifacts' as const].map((table) =>
      writing((it: IdList) => build.deleteFrom(table).where('execution_id', 'in', idsOf(it))),
    ),
    outputUpTo: outputTables.map((table) =>
      writing((it: { execution_id: string; seq: number }) =>
        build.deleteFrom(table).where('execution_id', '=', it.execution_id).where('seq', '<=', it.seq),
      ),
    ),
  };
}
