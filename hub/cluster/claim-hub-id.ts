import { Database } from 'bun:sqlite';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UUID } from '@svc/core/text/uuid';
import type { HubConfig } from '../config.ts';
import { isBusy, isOutside } from '../platform/db/sqlite/connection.ts';
import { unavailable } from '../platform/db/unavailable.ts';
import { ConfigError } from '../platform/read-variable.ts';

/** The identity of this hub in the rows that it writes, for the lifetime of the process. */
export interface HubId {
  readonly id: string;
  release(): void;
}

/**
 * Claims the id that the data folder keeps, so that a hub that was killed owns its old rows at once when it restarts.
 *
 * A second process on the same folder becomes another hub with its own id if the hubs share a PostgreSQL. On SQLite it is refused
 * with the address of the first (decision 64, borders of people and browsers), because the two would share neither events nor
 * agents.
 *
 * @param address where this hub answers, for the message to a second process
 */
export function claimHubId(
  { dataDir, databaseUrl }: Pick<HubConfig, 'dataDir' | 'databaseUrl'>,
  address: string,
): HubId {
  const addressFile = join(dataDir, 'hub.address');
  const release = lock(join(dataDir, 'hub.lock'));
  if (release !== undefined) {
    writeFileSync(addressFile, `${address} ${process.pid}\n`, { mode: 0o600 });
    return { id: keptId(join(dataDir, 'hub.id')), release };
  }
  if (databaseUrl === undefined) throw new ConfigError(inUse(dataDir, addressFile));
  return { id: Bun.randomUUIDv7(), release: () => undefined };
}

function inUse(dataDir: string, addressFile: string): string {
  const [address = '', pid = ''] = existsSync(addressFile)
    ? readFileSync(addressFile, 'utf8').trim().split(' ')
    : [];
  const where = address === '' ? '' : `, at ${address} (process ${pid})`;
  return `another hub uses the data folder ${dataDir}${where}: stop it, or set SVC_DATA_DIR to another folder`;
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
  let database: Database | undefined;
  try {
    database = new Database(path);
    database.run('PRAGMA locking_mode = EXCLUSIVE');
    database.run('BEGIN EXCLUSIVE');
    return () => database?.close();
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    throw isOutside(error) ? unavailable('write', error) : error;
  }
}
