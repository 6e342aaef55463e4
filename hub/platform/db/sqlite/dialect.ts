import type { Database, SQLQueryBindings } from 'bun:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';

/** Kysely on a connection of `bun:sqlite`. Only migrations use it: all other code runs compiled queries. */
export class BunSqliteDialect implements Dialect {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  createAdapter() {
    return new LockingAdapter();
  }

  createDriver(): Driver {
    return new BunSqliteDriver(this.#database);
  }

  createIntrospector(kysely: Kysely<unknown>) {
    return new SqliteIntrospector(kysely);
  }

  createQueryCompiler() {
    return new SqliteQueryCompiler();
  }
}

/** Migrations run inside one transaction, and this transaction locks the file, so only one process migrates at a time. */
class LockingAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class BunSqliteDriver implements Driver {
  readonly #database: Database;
  readonly #connection: BunSqliteConnection;

  constructor(database: Database) {
    this.#database = database;
    this.#connection = new BunSqliteConnection(database);
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#connection;
  }

  async beginTransaction(): Promise<void> {
    this.#database.run('BEGIN IMMEDIATE');
  }

  async commitTransaction(): Promise<void> {
    this.#database.run('COMMIT');
  }

  async rollbackTransaction(): Promise<void> {
    if (this.#database.inTransaction) this.#database.run('ROLLBACK');
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#database.close();
  }
}

class BunSqliteConnection implements DatabaseConnection {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#database.prepare<Row, SQLQueryBindings[]>(sql);
    try {
      const values = parameters as SQLQueryBindings[];
      if (statement.columnNames.length > 0) return { rows: statement.all(...values) };
      const { changes } = statement.run(...values);
      return { rows: [], numAffectedRows: BigInt(changes) };
    } finally {
      statement.finalize();
    }
  }

  streamQuery(): never {
    throw new Error('this connection does not stream');
  }
}
