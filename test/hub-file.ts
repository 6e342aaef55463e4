import { Database } from 'bun:sqlite';
import { join } from 'node:path';

/** How long other readers and writers wait while the hub has locked its file. */
const BUSY_TIMEOUT_MS = 10_000;

/** The SQLite file of a hub, beside the hub that writes it. */
export function openHubFile(dataDir: string, options?: { readonly readonly: true }): Database {
  return openSharedFile(join(dataDir, 'svc.db'), options);
}

/** The same, where its path is known. */
export function openSharedFile(file: string, options?: { readonly readonly: true }): Database {
  const database = new Database(file, options);
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return database;
}
