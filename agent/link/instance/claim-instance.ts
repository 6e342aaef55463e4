import { Database } from 'bun:sqlite';
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A folder that belongs to one agent process at a time. */
export interface Instance {
  readonly folder: string;
  /** Releases the folder for the next process. */
  release(): void;
}

const MAX_PROCESSES = 256;

/**
 * Claims the first free folder below `root`. Several processes under one name form a pool (decision 31, which agent runs an
 * endpoint), and each has its own journal. A process that starts again finds the folder that it left.
 */
export function claimInstance(root: string): Instance {
  for (let place = 0; place < MAX_PROCESSES; place += 1) {
    const folder = join(root, String(place));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // An existing folder may be open to other users, and it contains the output of commands.
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
    const release = lock(join(folder, 'lock'));
    if (release !== undefined) return { folder, release };
  }
  throw new Error(`${MAX_PROCESSES} processes of this agent run on this machine already`);
}

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
