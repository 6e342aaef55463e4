import type { Database, Statement } from 'bun:sqlite';
import { statSync } from 'node:fs';
import { reasonOf } from '../unavailable.ts';
import { packed } from '../unit/packed-bytes.ts';
import type { StatementText, Value } from '../unit/statement.ts';
import { isBusy, isOutside, isTaken, openForWriting } from './connection.ts';
import type { Batch, NumberedUnit, Report, UnitReport } from './protocol.ts';

interface Open {
  readonly database: Database;
  /** Identifies the file: its path may later lead to another file, or to none. */
  readonly identity: string;
  readonly statements: Map<number, Statement>;
  /** The limit of the log of the next commit, in bytes. */
  logLimit: number;
}

const COMMITS_BETWEEN_LOOKS = 16;
/** The file of the log is truncated to this size. A check or a long read lets the log grow. */
const LOG_LIMIT_BYTES = 64 * 1024 * 1024;
const CUT_BYTES = 32 * 1024 * 1024;
/** The commit that restarts the log leaves its file as long as it is. */
const NO_LIMIT = -1;
/** The page cache is kept for this long after the last batch with a statement that is not periodic. */
const IDLE_MS = 5_000;

/** The connection that writes. It commits batches, and reopens the file after a failed write. */
export class WriteConnection {
  readonly #file: string;
  readonly #busyTimeoutMs: number;
  readonly #texts: StatementText[] = [];
  #open: Open | undefined;
  #reopened = false;
  readonly #nowMs: () => number;
  #commits = 0;
  /** The last batch with a statement that is not periodic; undefined: none since the cache was freed. */
  #usedAtMs: number | undefined;

  /** @param nowMs monotonic */
  constructor(file: string, busyTimeoutMs: number, nowMs = () => performance.now()) {
    this.#file = file;
    this.#busyTimeoutMs = busyTimeoutMs;
    this.#nowMs = nowMs;
  }

  /**
   * @param isCheckpoint whether to copy the log first, and to shorten its file by one step
   */
  commit({ newTexts, units }: Batch, isCheckpoint = false): Report {
    for (const { number, text } of newTexts) this.#texts[number] = text;
    this.#reopened = false;
    try {
      // All settings come before the commit: a batch that is committed must not be reported as failed.
      if (units.some((unit) => this.#isUse(unit))) this.#usedAtMs = this.#nowMs();
      this.#limitLog(NO_LIMIT);
      if (isCheckpoint) this.#checkpoint();
      const committed = this.#commitTogether(units) ?? this.#commitApart(units);
      return { kind: 'committed', units: committed, reopened: this.#reopened, ...this.#logPages() };
    } catch (error) {
      if (!isOutside(error)) throw error;
      // A file that is busy is not broken.
      if (!isBusy(error)) this.close();
      return { kind: 'outside', reason: reasonOf(error), isBusy: isBusy(error) };
    }
  }

  /**
   * The result does not matter: the next checkpoint copies what this one leaves.
   *
   * The next commit truncates the file of the log if the log restarts, or has restarted. Truncating a gigabyte at once would take a
   * quarter of a second, so the limit is a step below the present length, and holds for that commit only: a commit after other
   * checkpoints would meet it when the file has grown.
   */
  #checkpoint(): void {
    if (this.#open === undefined) return;
    this.#open.database.query('PRAGMA wal_checkpoint(PASSIVE)').all();
    const bytes = statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    this.#limitLog(Math.max(LOG_LIMIT_BYTES, bytes - CUT_BYTES));
  }

  #limitLog(bytes: number): void {
    if (this.#open === undefined || this.#open.logLimit === bytes) return;
    this.#open.database.run(`PRAGMA journal_size_limit = ${bytes}`);
    this.#open.logLimit = bytes;
  }

  /**
   * Frees the page cache of up to 64 MiB if the hub is idle: once, so that heartbeats and checks of its health find the few pages that they
   * need. Pages that are needed again are in the cache of the operating system. Returns how long to wait before the next try;
   * undefined: until the next batch.
   */
  freeIdleCache(): number | undefined {
    if (this.#usedAtMs === undefined) return undefined;
    const leftMs = this.#usedAtMs + IDLE_MS - this.#nowMs();
    if (leftMs > 0) return leftMs;
    this.#usedAtMs = undefined;
    try {
      this.#open?.database.run('PRAGMA shrink_memory');
    } catch {
      // The next batch finds out whether the file can be used.
    }
    return undefined;
  }

  #isUse(unit: NumberedUnit): boolean {
    return unit.some(([number]) => this.#text(number).periodic === undefined);
  }

  /** The length of the log: its file keeps its size when the log restarts. */
  #logPages(): { logPages?: number } {
    this.#commits += 1;
    if (this.#open === undefined || this.#commits % COMMITS_BETWEEN_LOOKS !== 0) return {};
    try {
      const row = this.#open.database.query<{ log: number }, []>('PRAGMA wal_checkpoint(NOOP)').get();
      return row === null ? {} : { logPages: row.log };
    } catch {
      // The batch is committed and must not be sent again. A later look finds the length.
      return {};
    }
  }

  close(): void {
    // SQLite closes a connection only when it has no statements left.
    for (const statement of this.#open?.statements.values() ?? []) statement.finalize();
    this.#open?.database.close();
    this.#open = undefined;
  }

  /**
   * The fast way: only a unit that may be refused gets a savepoint. Undefined when a unit failed; then nothing is stored.
   */
  #commitTogether(units: readonly NumberedUnit[]): UnitReport[] | undefined {
    try {
      return this.#transaction((open) =>
        units.map((unit) =>
          this.#mayTurnBack(unit) ? this.#runInSavepoint(open, unit) : this.#run(open, unit),
        ),
      );
    } catch (error) {
      if (isOutside(error)) throw error;
      return undefined;
    }
  }

  /** The slow way: a unit that fails is rolled back alone. */
  #commitApart(units: readonly NumberedUnit[]): UnitReport[] {
    return this.#transaction((open) => units.map((unit) => this.#runInSavepoint(open, unit)));
  }

  #transaction<T>(work: (open: Open) => T): T {
    const open = this.#opened();
    open.database.run('BEGIN IMMEDIATE');
    try {
      const result = work(open);
      open.database.run('COMMIT');
      return result;
    } catch (error) {
      // SQLite may have rolled back by itself.
      if (open.database.inTransaction) open.database.run('ROLLBACK');
      throw error;
    }
  }

  /** Most units begin with their only expectation, so a refused unit has changed nothing yet. */
  #mayTurnBack(unit: NumberedUnit): boolean {
    return unit.some(([number], index) => index > 0 && this.#text(number).unlessChanged !== undefined);
  }

  #runInSavepoint(open: Open, unit: NumberedUnit): UnitReport {
    open.database.run('SAVEPOINT unit');
    const report = this.#runIsolated(open, unit);
    if (report !== true) open.database.run('ROLLBACK TO unit');
    open.database.run('RELEASE unit');
    return report;
  }

  #runIsolated(open: Open, unit: NumberedUnit): UnitReport {
    let current: StatementText | undefined;
    try {
      return this.#run(open, unit, (text) => {
        current = text;
      });
    } catch (error) {
      if (isOutside(error)) throw error;
      if (current?.ifExists !== undefined && isTaken(error)) return current.ifExists;
      return { failure: reasonOf(error) };
    }
  }

  #run(open: Open, unit: NumberedUnit, begins?: (text: StatementText) => void): UnitReport {
    for (const [number, values] of unit) {
      const text = this.#text(number);
      begins?.(text);
      const stored = text.packsBytes ? values.map(packedValue) : values;
      const { changes } = this.#statement(open, number).run(...stored);
      if (changes === 0 && text.unlessChanged !== undefined) return text.unlessChanged;
    }
    return true;
  }

  #text(number: number): StatementText {
    const text = this.#texts[number];
    if (text === undefined) throw new Error(`statement ${number} was never given`);
    return text;
  }

  #statement(open: Open, number: number): Statement {
    let statement = open.statements.get(number);
    if (statement === undefined) {
      statement = open.database.prepare(this.#text(number).sql);
      open.statements.set(number, statement);
    }
    return statement;
  }

  #opened(): Open {
    const identity = identityOf(this.#file);
    if (this.#open?.identity === identity) return this.#open;
    this.close();
    const database = openForWriting(this.#file, this.#busyTimeoutMs);
    database.run(`PRAGMA journal_size_limit = ${NO_LIMIT}`);
    this.#open = { database, identity, statements: new Map(), logLimit: NO_LIMIT };
    this.#reopened = true;
    return this.#open;
  }
}

function packedValue(value: Value): Value {
  return value instanceof Uint8Array ? packed(value) : value;
}

/** NOTE: Without this check writes would continue into a removed file, and be lost silently. */
function identityOf(file: string): string {
  const { dev, ino } = statSync(file);
  return `${dev}:${ino}`;
}
