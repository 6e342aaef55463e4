import { afterAll, beforeAll, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { type NatsServer, natsMissing, startNats } from './nats.ts';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres.ts';

/** Syncs of a busy machine take long. */
const HOOK_MS = 60_000;

let server: PostgresServer | undefined;
let nats: NatsServer | undefined;
let place: Place = 'one hub on SQLite';

/** Where the tests of a file have their hubs. */
export type Place = 'one hub on SQLite' | 'one hub on PostgreSQL' | 'several hubs';

/** Known when a file is loaded. */
export function placeOfTests(): Place {
  return place;
}

/** What a new hub's environment says about its database: nothing where it has SQLite, else one that is new and empty. */
export async function databaseEnvironment(): Promise<Readonly<Record<string, string>>> {
  if (server === undefined) return {};
  return {
    DATABASE_URL: await server.createDatabase(),
    SVC_MASTER_KEY: randomBytes(32).toHex(),
    ...(nats && { NATS_URL: `nats://${nats.address}` }),
  };
}

/** Runs the tests of another file with hubs that have their data on PostgreSQL: one server for all of them. */
export async function onPostgres(load: () => Promise<unknown>): Promise<void> {
  if (postgresMissing !== undefined) {
    test.skip(postgresMissing, () => {});
    return;
  }
  place = 'one hub on PostgreSQL';
  beforeAll(async () => {
    server = await startPostgres({ syncs: false });
  }, HOOK_MS);
  await load();
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    server = undefined;
  }, HOOK_MS);
}

/** The same with hubs that also share a broker; how many there are is the business of the tests. */
export async function onSeveralHubs(load: () => Promise<unknown>): Promise<void> {
  if (natsMissing !== undefined) {
    test.skip(natsMissing, () => {});
    return;
  }
  beforeAll(async () => {
    nats = await startNats();
  }, HOOK_MS);
  await onPostgres(() => {
    place = 'several hubs';
    return load();
  });
  afterAll(async () => {
    await nats?.[Symbol.asyncDispose]();
    nats = undefined;
  }, HOOK_MS);
}
