import { afterAll, beforeAll, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { isBesideOlder, leaveOut, OTHER_VERSION } from './beside/beside.ts';
import { type NatsServer, natsMissing, startNats } from './nats.ts';
import { type PostgresServer, postgresMissing, startPostgres } from './postgres.ts';
import { migratedDatabase } from './prepared-postgres.ts';

/** A start of PostgreSQL, a broker and two hubs took 61 s at a load of 35 on two cores. */
const HOOK_MS = 180_000;
/** For the broker: the hubs of each database share subjects, apart from all others. */
const ACCOUNTS = 500;

let server: PostgresServer | undefined;
let nats: NatsServer | undefined;
/** A database that hubs of this version have nothing to add to; undefined where an earlier version makes the tables. */
let migrated: string | undefined;
let databases = 0;
let place: Place = 'one hub on SQLite';

/** Where the tests of a file have their hubs. */
export type Place = 'one hub on SQLite' | 'one hub on PostgreSQL' | 'several hubs';

/** Known when a file is loaded. */
export function placeOfTests(): Place {
  return place;
}

/** The variables of a new hub's environment for its database: none for SQLite, else the URL of a new, empty one. */
export async function databaseEnvironment(): Promise<Readonly<Record<string, string>>> {
  if (server === undefined) return {};
  return {
    DATABASE_URL: await server.createDatabase(migrated),
    SVC_MASTER_KEY: randomBytes(32).toHex(),
    ...(nats && { NATS_URL: `nats://hub-${databases++}:hub@${nats.address}` }),
  };
}

/**
 * Runs the tests of another file with hubs that have their data on PostgreSQL: one server for all of them. Where a hub of
 * another version stands beside each, they share a broker.
 *
 * @param since the migration that the tests need, such as `0043`: beside hubs of an earlier version they are left out
 */
export async function onPostgres(load: () => Promise<unknown>, since = ''): Promise<void> {
  if (isBesideOlder(since)) {
    leaveOut(basename(Bun.main), `what it tests is refused beside a hub without migration ${since}`);
    return;
  }
  const onDatabase = () => onPostgresAs('one hub on PostgreSQL', load);
  await (OTHER_VERSION === undefined ? onDatabase() : withBroker(onDatabase));
}

/** The same with hubs that also share a broker; how many there are is the business of the tests. */
export async function onSeveralHubs(load: () => Promise<unknown>): Promise<void> {
  await withBroker(() => onPostgresAs('several hubs', load));
}

async function onPostgresAs(asked: Place, load: () => Promise<unknown>): Promise<void> {
  if (postgresMissing !== undefined) {
    test.skip(postgresMissing, () => {});
    return;
  }
  place = asked;
  beforeAll(async () => {
    server = await startPostgres({ syncs: false });
    if (OTHER_VERSION === undefined) migrated = await migratedDatabase(server);
  }, HOOK_MS);
  await load();
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    server = undefined;
    migrated = undefined;
  }, HOOK_MS);
}

async function withBroker(load: () => Promise<void>): Promise<void> {
  if (natsMissing !== undefined) {
    test.skip(natsMissing, () => {});
    return;
  }
  beforeAll(async () => {
    nats = await startNats(accounts());
  }, HOOK_MS);
  await load();
  afterAll(async () => {
    await nats?.[Symbol.asyncDispose]();
    nats = undefined;
  }, HOOK_MS);
}

function accounts(): string {
  const lines = Array.from(
    { length: ACCOUNTS },
    (_, n) => `A${n} { users [{ user: "hub-${n}", password: "hub" }] }`,
  );
  return `accounts {\n${lines.join('\n')}\n}`;
}
