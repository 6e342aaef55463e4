import { afterAll, beforeAll, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres.ts';

/** Syncs of a busy machine take long. */
const HOOK_MS = 60_000;

let server: PostgresServer | undefined;

/** What a new hub's environment says about its database: nothing where it has SQLite, else one that is new and empty. */
export async function databaseEnvironment(): Promise<Readonly<Record<string, string>>> {
  if (server === undefined) return {};
  return { DATABASE_URL: await server.createDatabase(), SVC_MASTER_KEY: randomBytes(32).toHex() };
}

/** Runs the tests of another file with hubs that have their data on PostgreSQL: one server for all of them. */
export async function onPostgres(load: () => Promise<unknown>): Promise<void> {
  if (postgresMissing !== undefined) {
    test.skip(postgresMissing, () => {});
    return;
  }
  beforeAll(async () => {
    server = await startPostgres({ syncs: false });
  }, HOOK_MS);
  await load();
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    server = undefined;
  }, HOOK_MS);
}
