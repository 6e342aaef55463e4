import type { Database } from './database.ts';

/** `quick`: the form of every page and row. `full`: also each index against its table. */
export type CheckDepth = 'quick' | 'full';

export interface StoreFigures {
  /** Writes that were stored or refused, and the transactions that took. */
  readonly units: number;
  readonly commits: number;
  /** Copies of the write-ahead log into the file that failed. Undefined on PostgreSQL, which does it by itself. */
  readonly checkpointFailures?: number;
}

/** A database that is open, migrated and ready. */
export interface OpenDatabase extends Omit<Database, 'publish'>, AsyncDisposable {
  readonly figures: StoreFigures;
  /** A consistent copy of everything, made while the store goes on working. */
  backup(toFile: string): Promise<void>;
  /** Checks for damage while the store works; returns a sentence for each finding. Throws `unavailable`. */
  check(depth: CheckDepth): Promise<readonly string[]>;
}
