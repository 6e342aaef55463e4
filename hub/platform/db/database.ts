import type { Kysely } from 'kysely';
import type { Tables } from '../../schema.ts';
import type { Query } from './unit/precompile.ts';
import type { UnitOfWork } from './unit/statement.ts';

export type OutputTable = 'output_chunks' | 'execution_output';

/** The database as the stores see it: one query layer for SQLite and PostgreSQL. */
export interface Database {
  /** Builds queries in the words of this database; it runs none. */
  readonly build: Kysely<Tables>;
  /** The tables of output. New output goes to the first; reads and removals use all of them (migration 0019). */
  readonly outputTables: readonly OutputTable[];
  /** The counts of finished hours and days are also kept as few rows (migrations 0050 and 0051). */
  readonly packsCounts: boolean;
  /** Point reads by key, which calls need. They see every commit that was acknowledged before. Throws `unavailable`. */
  rows<Row>(query: Query<Row>): Promise<Row[]>;
  /** Every other read: lists, filters, statistics, exports. */
  readonly reader: Reader;
  /** Returns `stored` after the commit, or the tag of an unmet expectation; then nothing is stored. Throws `unavailable`. */
  commit<Tag extends string>(unit: UnitOfWork<Tag>): Promise<Tag | 'stored'>;
  /** Publishes the events of a unit that an earlier attempt has stored when the answer to that attempt was lost. */
  publish(unit: UnitOfWork): void;
}

export async function firstRow<Row>(
  database: Pick<Database, 'rows'>,
  query: Query<Row>,
): Promise<Row | undefined> {
  const [row] = await database.rows(query);
  return row;
}

/** `quick` checks the form of every page and row; `full` also compares each index with its table. */
export type CheckDepth = 'quick' | 'full';

export interface StoreFigures {
  /** The number of stored and refused writes, and of their transactions. */
  readonly units: number;
  readonly commits: number;
  /** The number of failed copies of the write-ahead log into the file. Undefined on PostgreSQL, which makes them itself. */
  readonly checkpointFailures?: number;
}

/** A database that is open, migrated and ready. */
export interface OpenDatabase extends Omit<Database, 'publish'>, AsyncDisposable {
  readonly figures: StoreFigures;
  /** Makes a consistent copy of everything while the store works. */
  backup(toFile: string): Promise<void>;
  /** Checks for damage while the store works; returns one sentence for each problem. Throws `unavailable`. */
  check(depth: CheckDepth): Promise<readonly string[]>;
}

/**
 * Runs reads that may take long: lists, statistics, exports. SQLite runs them on a thread of their own, PostgreSQL on
 * connections of their own, so that no reader delays a call (decision 62, reads apart from calls).
 */
export interface Reader {
  /** Reads rows and sees every commit that was acknowledged before. Rows must not hold bytes. Throws `unavailable`. */
  rows<Row>(query: Query<Row>): Promise<Row[]>;
}

/**
 * The bounds of one read: the number of scanned rows, and the time. A read that reaches a bound returns what it has found
 * so far.
 */
export interface ReadBound {
  readonly rows: number;
  readonly ms: number;
}

/** The rows are those of decision 20, asynchronous calls and records; the time is that of decision 62, reads apart from calls. */
export const READ_BOUND: ReadBound = { rows: 10_000, ms: 25 };
