import { Database } from 'bun:sqlite';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type HubConfig } from '../config.ts';
import { isBusy, isOutside } from '../platform/db/sqlite/connection.ts';
import { unavailable } from '../platform/db/unavailable.ts';

/** Who this hub is in the rows that it writes, for as long as the process lives. */
export interface HubId {
  readonly id: string;
  release(): void;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The id that the data folder keeps: a hub that was killed finds what it left as its own when it is back, at once.
 *
 * A second process on the same folder is another hub, with an id of its own, if the hubs share a PostgreSQL. On SQLite the
 * second one is refused with the address of the first (decision 64): the two would share no news and no agents.
 *
 * @param address where this hub answers, for the message that a second one gets
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
