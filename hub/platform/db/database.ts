import type { Kysely } from 'kysely';
import type { Tables } from '../../schema.ts';
import type { Reader } from './reading/reader.ts';
import type { Query } from './unit/precompile.ts';
import type { Unit } from './unit/statement.ts';

export type OutputTable = 'output_chunks' | 'execution_output';

/** What the aggregates know of a database: one query layer for both kinds. */
export interface Database {
  /** Builds queries in the words of this database; it runs none. */
  readonly build: Kysely<Tables>;
  /** Where new output goes; reads and removals look into all of these. The first one is written (migration 0019). */
  readonly outputTables: readonly OutputTable[];
  /** Point reads, by a key: on the path of calls. What a read finds was committed before. Throws `unavailable`. */
  rows<Row>(query: Query<Row>): Promise<Row[]>;
  /** Every other read: lists, filters, statistics, exports. */
  readonly reader: Reader;
  /** `stored` after the commit, or the tag of the expectation that was not met and nothing stored. Throws `unavailable`. */
  commit<Tag extends string>(unit: Unit<Tag>): Promise<Tag | 'stored'>;
  /** Publishes the events of a unit that an earlier attempt has stored, whose answer was lost. */
  publish(unit: Unit): void;
}

export async function firstRow<Row>(
  database: Pick<Database, 'rows'>,
  query: Query<Row>,
): Promise<Row | undefined> {
  const [row] = await database.rows(query);
  return row;
}
