import type { Database } from 'bun:sqlite';
import { unavailable } from '../unavailable.ts';
import type { Query } from '../unit/precompile.ts';
import { isOutside, openForReading } from './connection.ts';

/** Point reads, on the thread that serves: each takes microseconds, and the answer of a Worker would take longer. */
export class SqliteReader implements Disposable {
  readonly #file: string;
  readonly #busyTimeoutMs: number;
  #database: Database | undefined;
  #isDisposed = false;

  constructor(file: string, busyTimeoutMs: number) {
    this.#file = file;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  async rows<Row>(query: Query<Row>): Promise<Row[]> {
    try {
      return this.#run(query);
    } catch (error) {
      if (!isOutside(error)) throw error;
      this.close();
      throw unavailable('read', error);
    }
  }

  /** The next read opens the file anew. */
  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
    this.#isDisposed = true;
  }

  #run<Row>({ sql, values }: Query<Row>): Row[] {
    if (this.#isDisposed) throw new Error('this store has been disposed of');
    this.#database ??= openForReading(this.#file, this.#busyTimeoutMs);
    // `query` keeps what it has prepared.
    return this.#database.query<Row, Query<Row>['values'][number][]>(sql).all(...values);
  }
}
