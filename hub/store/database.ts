import type { Kysely } from 'kysely';
import type { Tables } from './tables.ts';
import type { Query } from './unit/precompile.ts';
import type { Unit } from './unit/statement.ts';

/** What the aggregates know of a database: one query layer for both kinds. */
export interface Database {
  /** Builds queries in the words of this database; it runs none. */
  readonly build: Kysely<Tables>;
  /** What a read finds was committed before. Throws `unavailable`. */
  rows<Row>(query: Query<Row>): Promise<Row[]>;
  /** `stored` after the commit, or the tag of the expectation that was not met and nothing stored. Throws `unavailable`. */
  commit<Tag extends string>(unit: Unit<Tag>): Promise<Tag | 'stored'>;
}

export async function firstRow<Row>(database: Database, query: Query<Row>): Promise<Row | undefined> {
  const [row] = await database.rows(query);
  return row;
}
