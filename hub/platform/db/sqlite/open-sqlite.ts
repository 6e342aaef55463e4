import type { Database } from 'bun:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { Tables } from '../../../schema.ts';
import type { OpenDatabase } from '../database.ts';
import { migrate } from '../migrations/migrate.ts';
import { unavailable } from '../unavailable.ts';
import { GroupCommit, type OnCommit } from '../unit/group-commit.ts';
import { resultOf } from '../unit/statement.ts';
import { backupSqlite } from './backup.ts';
import { checkSqlite } from './check.ts';
import { Checkpoints } from './checkpoints.ts';
import { createPrivateFile, isBusy, isOutside, openForWriting } from './connection.ts';
import { BunSqliteDialect } from './dialect.ts';
import { ReadThread, SqliteReader } from './read-thread.ts';
import { SqliteWriter } from './writer.ts';

/** The longest time that a write waits while another program has locked the file. */
const BUSY_TIMEOUT_MS = 5_000;
/** The longest time that a start waits while another hub migrates the same file. */
const MIGRATION_TIMEOUT_MS = 60_000;
const RETRY_MS = 20;

export interface SqliteLocation {
  readonly file: string;
  readonly busyTimeoutMs?: number;
  readonly startWorker?: () => Worker;
  readonly startReadWorker?: () => Worker;
  /** Called when a thread of the store has died; the store starts another one. */
  readonly onWriterDeath?: (error: Error) => void;
  /** Called when checkpoints begin to fail: the log grows, and calls continue. */
  readonly onCheckpointFailure?: (reason: string) => void;
  readonly onCommit?: OnCommit | undefined;
}

export async function openSqlite({
  file,
  busyTimeoutMs = BUSY_TIMEOUT_MS,
  startWorker,
  startReadWorker,
  onWriterDeath = (error) => console.error(error),
  onCheckpointFailure = (reason) => console.error(reason),
  onCommit,
}: SqliteLocation): Promise<OpenDatabase> {
  await prepareFile(file);
  const reader = new SqliteReader(file, busyTimeoutMs);
  const readThread = new ReadThread({
    file,
    busyTimeoutMs,
    onDeath: onWriterDeath,
    ...(startReadWorker && { startWorker: startReadWorker }),
  });
  const checkpoints = new Checkpoints({ file, busyTimeoutMs, onFailure: onCheckpointFailure });
  const writer = new SqliteWriter({
    file,
    busyTimeoutMs,
    checkpoints,
    closeReaders: async () => {
      reader.close();
      await readThread.close();
      await checkpoints.close();
    },
    onDeath: onWriterDeath,
    ...(startWorker && { startWorker }),
  });
  const group = new GroupCommit(writer, onCommit);
  const closing = new AbortController();
  return {
    build: compileOnly(),
    outputTables: ['execution_output', 'output_chunks'],
    packsCounts: false,
    rows: (query) => reader.rows(query),
    reader: readThread,
    commit: async (unit) => resultOf(await group.commit(unit)),
    get figures() {
      return { ...group.figures, checkpointFailures: checkpoints.failures };
    },
    backup: (toFile) => backupSqlite(file, toFile),
    check: (depth) => checkSqlite({ file, depth }, closing.signal),
    async [Symbol.asyncDispose]() {
      closing.abort();
      await group.close();
      // Readers close first: the last connection that may write removes the log.
      reader[Symbol.dispose]();
      await readThread.end();
      await checkpoints.end();
      await writer.close();
    },
  };
}

/** Kysely only builds and compiles the queries; other code runs them. */
function compileOnly(): Kysely<Tables> {
  return new Kysely({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  });
}

/** Creates the file, or migrates an older one to the schema of this program. */
async function prepareFile(file: string): Promise<void> {
  try {
    createPrivateFile(file);
    const database = openForWriting(file, MIGRATION_TIMEOUT_MS);
    const kysely = new Kysely<unknown>({ dialect: new BunSqliteDialect(database) });
    try {
      await useLog(database);
      await migrate(kysely, { text: sql`text`, bytes: sql`blob`, clustered: sql`without rowid` });
    } finally {
      await kysely.destroy();
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
    throw isOutside(cause) ? unavailable('write', cause) : error;
  }
}

/**
 * NOTE: SQLite does not wait for a busy file when it switches to a write-ahead log, and two hubs that start at once meet
 * here.
 */
async function useLog(database: Database): Promise<void> {
  const deadlineMs = performance.now() + MIGRATION_TIMEOUT_MS;
  for (;;) {
    try {
      database.run('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadlineMs) throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}
