import { createStore } from '@svc/hub/build/create-store';
import { STORE_OPTIONS } from '@svc/hub/platform/db/fixtures/samples';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/**
 * The data of a server with a database that has all tables, for SVC_TEST_POSTGRES: each server of a run begins with a copy.
 * The folder goes with its disposal; undefined where PostgreSQL is not installed.
 *
 * @param parent where the servers have their data, too; default: the folder for temporary files
 */
export async function preparedPostgres(parent?: string): Promise<TemporaryFolder | undefined> {
  if (postgresMissing !== undefined) return undefined;
  const folder = await temporaryFolder(parent);
  const server = await startPostgres({ inside: folder.path, syncs: false });
  await using _ended = server;
  await migratedDatabase(server);
  await server.stop();
  return folder;
}

/** A database with all tables, to be copied: a copy takes a tenth of the time of the migrations. */
export async function migratedDatabase(server: PostgresServer): Promise<string> {
  if (server.prepared !== undefined) return server.prepared;
  const url = await server.createDatabase();
  await using _store = await createStore({ kind: 'postgres', url }, STORE_OPTIONS);
  return url;
}
