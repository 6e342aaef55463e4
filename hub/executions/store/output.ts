import { sql } from 'kysely';
import type { Database, OutputTable } from '../../platform/db/database.ts';
import { unpacked } from '../../platform/db/unit/packed-bytes.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import type { Statement } from '../../platform/db/unit/statement.ts';
import type { OutputChunk } from '../execution-ports.ts';
import type { OutputChunkRow } from './table.ts';

/**
 * The stored output of executions. (execution, sequence) is unique, and stored chunks never change (decision 29, numbered
 * output).
 */
export class Output {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async read(executionId: string, afterSeq: number, limit: number): Promise<OutputChunk[]> {
    const given = { execution_id: executionId, after_seq: afterSeq, limit };
    const rows = await this.#database.rows(this.#queries.read(given));
    return rows.map((row) => chunkOf(executionId, row));
  }

  /** The same from the end: chunks before `beforeSeq`, descending. */
  async readBack(executionId: string, beforeSeq: number, limit: number): Promise<OutputChunk[]> {
    const given = { execution_id: executionId, before_seq: beforeSeq, limit };
    const rows = await this.#database.rows(this.#queries.readBack(given));
    return rows.map((row) => chunkOf(executionId, row));
  }

  /** A chunk, with the facts that it adds to its execution. */
  append(chunk: OutputChunk): Statement<never>[] {
    const { executionId, seq, sse } = chunk;
    return [this.#queries.count({ id: executionId, seq, bytes: sse.length }), this.add(chunk)];
  }

  /** Inserts only the chunk; another statement counts it. */
  add({ executionId, seq, sse, endings }: OutputChunk): Statement<never> {
    return this.#queries.add({ execution_id: executionId, seq, sse, endings: endings ?? null });
  }
}

function chunkOf(
  executionId: string,
  { seq, sse, endings }: Omit<OutputChunkRow, 'execution_id'>,
): OutputChunk {
  return { executionId, seq, sse: unpacked(sse), endings: endings ?? undefined };
}

/**
 * Counts a chunk in the row of its execution. The chunks of one execution arrive in order, so a chunk whose number is not above the
 * last is already stored and counts for nothing.
 *
 * NOTE: The casts are for PostgreSQL, which cannot infer the type of a lone value.
 */
export function counted(chunk: { readonly seq: number; readonly bytes: number }) {
  const isNew = sql<boolean>`last_seq < cast(${chunk.seq} as bigint)`;
  return {
    // An execution with output has started: the agent has the values (decision 9, values of a call).
    sealed_args: null,
    stored_bytes: sql<number>`stored_bytes + case when ${isNew} then cast(${chunk.bytes} as bigint) else 0 end`,
    last_seq: sql<number>`case when ${isNew} then cast(${chunk.seq} as bigint) else last_seq end`,
  };
}

const COLUMNS = ['execution_id', 'seq', 'sse', 'endings'] as const;

type Chunk = Pick<OutputChunkRow, 'execution_id' | 'seq'>;

const PACKED = { packsBytes: true } as const;

function queriesOf({ build, outputTables }: Database) {
  const [written = 'output_chunks', ...earlier] = outputTables;
  const after = (table: OutputTable, it: { execution_id: string; after_seq: number }) =>
    build
      .selectFrom(table)
      .select(['seq', 'sse', 'endings'])
      .where('execution_id', '=', it.execution_id)
      .where('seq', '>', it.after_seq);
  const before = (table: OutputTable, it: { execution_id: string; before_seq: number }) =>
    build
      .selectFrom(table)
      .select(['seq', 'sse', 'endings'])
      .where('execution_id', '=', it.execution_id)
      .where('seq', '<', it.before_seq);
  const isThere = (table: OutputTable, it: Chunk) =>
    build
      .selectFrom(table)
      .select('seq')
      .where('execution_id', '=', it.execution_id)
      .where('seq', '=', it.seq);
  return {
    read: reading((it: { execution_id: string; after_seq: number; limit: number }) =>
      earlier
        .reduce((all, table) => all.unionAll(after(table, it)), after(written, it))
        .orderBy('seq')
        .limit(it.limit),
    ),
    readBack: reading((it: { execution_id: string; before_seq: number; limit: number }) =>
      earlier
        .reduce((all, table) => all.unionAll(before(table, it)), before(written, it))
        .orderBy('seq', 'desc')
        .limit(it.limit),
    ),
    count: writing((it: { id: string; seq: number; bytes: number }) =>
      build.updateTable('executions').set(counted(it)).where('id', '=', it.id).where('last_seq', '<', it.seq),
    ),
    add: writing((it: OutputChunkRow) => {
      const insertion = build.insertInto(written);
      const [table] = earlier;
      // Output from before the upgrade is in the earlier table, and the agent may send it again.
      const rows =
        table === undefined
          ? insertion.values(slotsOf(it, COLUMNS))
          : insertion
              .columns(COLUMNS)
              .expression(
                build
                  .selectNoFrom(COLUMNS.map((column) => sql`${it[column]}`.as(column)))
                  .where(({ not, exists }) => not(exists(isThere(table, it)))),
              );
      return rows.onConflict((conflict) => conflict.columns(['execution_id', 'seq']).doNothing());
    }, PACKED),
  };
}
