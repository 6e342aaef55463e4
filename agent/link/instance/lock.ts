import { Database } from 'bun:sqlite';

/** Keeps the databases referenced: an unreferenced one is closed and loses its lock. */
const lockFiles = new Set<Database>();

/**
 * Locks a file for this process; undefined if another process has it. The returned function releases it.
 *
 * Uses SQLite's lock, because neither Bun nor Node offers one. The kernel releases it when the process dies, however it
 * dies, and no command that outlives the process holds it.
 */
export function lock(path: string): (() => void) | undefined {
  const database = new Database(path);
  try {
    database.run('PRAGMA locking_mode = EXCLUSIVE');
    database.run('BEGIN EXCLUSIVE');
    lockFiles.add(database);
    return () => {
      lockFiles.delete(database);
      database.close();
    };
  } catch (error) {
    database.close();
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}
