import { Database } from 'bun:sqlite';

/** A database that nobody refers to is closed, and its lock gone. */
const held = new Set<Database>();

/**
 * Takes a file for this process alone; undefined when another one has it. The returned function lets go.
 *
 * SQLite's lock, because neither Bun nor Node offers one: the kernel drops it when the process dies, however it dies, and
 * no command that outlives the process holds it.
 */
export function lock(path: string): (() => void) | undefined {
  const database = new Database(path);
  try {
    database.run('PRAGMA locking_mode = EXCLUSIVE');
    database.run('BEGIN EXCLUSIVE');
    held.add(database);
    return () => {
      held.delete(database);
      database.close();
    };
  } catch (error) {
    database.close();
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}
