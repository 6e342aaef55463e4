import { refuse } from '@svc/core/refusal';
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import type pg from 'pg';
import type { Tables } from '../../../schema.ts';
import type { OpenDatabase } from '../database.ts';
import { migrate } from '../migrations/migrate.ts';
import { unavailable } from '../unavailable.ts';
import { GroupCommit, type OnCommit } from '../unit/group-commit.ts';
import type { Query } from '../unit/precompile.ts';
import { resultOf } from '../unit/statement.ts';
import { checkPostgres } from './check.ts';
import { isBug, isDisconnect } from './errors.ts';
import { PostgresTransaction, preparedName } from './group.ts';
import { createPool } from './pool.ts';

const POINT_READERS = 5;
/** The number of connections is small, so that many readers do not keep the server from calls. */
const READERS = 3;
/** The server ends a read of lists or statistics after this time; each part of a read takes milliseconds. */
const READ_TIMEOUT_MS = 5_000;

export async function openPostgres(url: string, onCommit?: OnCommit): Promise<OpenDatabase> {
  await migrateOn(url);
  const points = createPool(url, { max: POINT_READERS });
  const readers = createPool(url, { max: READERS, statement_timeout: READ_TIMEOUT_MS });
  // The pool for writes. It is separate, so that no read delays a write. One transaction runs at a time, so one connection
  // is enough.
  const writer = createPool(url, { max: 1 });
  const group = new GroupCommit(new PostgresTransaction(writer), onCommit);
  let closed: Promise<unknown> | undefined;
  const close = async () => {
    await group.close();
    await Promise.all([points.end(), readers.end(), writer.end()]);
  };
  return {
    build: compileOnly(),
    outputTables: ['output_chunks'],
    packsCounts: true,
    rows: (query) => rowsOf(points, query),
    reader: { rows: (query) => rowsOf(readers, query) },
    commit: async (unit) => resultOf(await group.commit(unit)),
    get figures() {
      return group.figures;
    },
    backup: () =>
      Promise.reject(
        refuse('not_supported', 'the store is PostgreSQL: pg_dump makes a consistent copy while it runs'),
      ),
    check: (depth) => checkPostgres(url, depth),
    async [Symbol.asyncDispose]() {
      // A pool may be ended only once, but a hub may be asked twice to stop.
      closed ??= close();
      await closed;
    },
  };
}

/** Kysely only builds and compiles the queries; other code runs them. */
function compileOnly(): Kysely<Tables> {
  return new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new PostgresIntrospector(database),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** NOTE: Kysely takes an advisory lock while it migrates. Other hubs wait for it without a time limit. */
async function migrateOn(url: string): Promise<void> {
  const pool = createPool(url, { max: 1, query_timeout: 0 });
  try {
    await pool.query('select 1').catch((error: unknown) => Promise.reject(unavailable('write', error)));
    const database = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    await migrate(database, { text: sql`text collate "C"`, bytes: sql`bytea`, clustered: sql`` });
  } finally {
    await pool.end();
  }
}

async function rowsOf<Row>(pool: pg.Pool, { sql, values, isOnce }: Query<Row>): Promise<Row[]> {
  const query = { text: sql, values: values as unknown[], ...(!isOnce && { name: preparedName(sql) }) };
  const read = async () => (await pool.query(query)).rows as Row[];
  try {
    // A pooled connection may have been dead for a long time; another one may work.
    return await read().catch((error: unknown) => (isDisconnect(error) ? read() : Promise.reject(error)));
  } catch (error) {
    throw isBug(error) ? error : unavailable('read', error);
  }
}
