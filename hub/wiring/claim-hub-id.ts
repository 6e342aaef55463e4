import { Database } from 'bun:sqlite';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Who this hub is in the rows that it writes, for as long as the process lives. */
export interface HubId {
  readonly id: string;
  release(): void;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The id that the data folder keeps: a hub that was killed finds what it left as its own when it is back, at once. A second
 * process on the same folder is another hub.
 */
export function claimHubId(dataDir: string): HubId {
  const release = lock(join(dataDir, 'hub.lock'));
  if (release === undefined) return { id: Bun.randomUUIDv7(), release: () => undefined };
  return { id: keptId(join(dataDir, 'hub.id')), release };
}

function keptId(path: string): string {
  try {
    const id = readFileSync(path, 'utf8').trim();
    if (UUID.test(id)) return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const id = Bun.randomUUIDv7();
  writeFileSync(path, `${id}\n`, { mode: 0o600 });
  return id;
}

/** SQLite's lock, because Bun offers no other: the kernel drops it when the process dies, however it dies. */
function lock(path: string): (() => void) | undefined {
  const database = new Database(path);
  try {
    database.run('PRAGMA locking_mode = EXCLUSIVE');
    database.run('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { code?: unknown }).code === 'SQLITE_BUSY') return undefined;
    throw error;
  }
}
