import type { Database } from './database.ts';

/** A database that is open, migrated and ready. */
export interface OpenDatabase extends Database, AsyncDisposable {
  /** Units that were stored or refused, and the transactions that took. */
  readonly figures: { readonly units: number; readonly commits: number };
  /** A consistent copy of everything, made while the store goes on working. */
  backup(toFile: string): Promise<void>;
}
