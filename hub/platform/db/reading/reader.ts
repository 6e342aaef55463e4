import type { Query } from '../unit/precompile.ts';

/**
 * Runs reads that may take long: lists, statistics, exports. SQLite runs them on a thread of their own, PostgreSQL on
 * connections of their own, so that no reader delays a call (decision 62, reads apart from calls).
 */
export interface Reader {
  /** Sees every commit that was acknowledged before. Rows must not hold bytes. Throws `unavailable`. */
  rows<Row>(query: Query<Row>): Promise<Row[]>;
}

/** What one read may cost: rows that it looks through, and time. A read that reaches a bound answers with what it has found. */
export interface ReadBound {
  readonly rows: number;
  readonly ms: number;
}

/** Decision 20 has the rows, decision 62 the time. */
export const READ_BOUND: ReadBound = { rows: 10_000, ms: 25 };
