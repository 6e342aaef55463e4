import { Refusal } from '@svc/core/refusal';
import type { OpenDatabase } from './database.ts';

/** Thrown when a read or a write finds data that the database itself reports as damaged. */
export class StoreDamaged extends Refusal {
  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super('unavailable', message, details);
  }
}

/** SQLite: the file, or its schema, is not what SQLite wrote. PostgreSQL: data_corrupted (checksums too), index_corrupted. */
const DAMAGE_CODES = /^(?:SQLITE_CORRUPT|SQLITE_NOTADB|XX001$|XX002$)/;
/** The texts of SQLite's errors, for errors that another thread has passed on without their code. */
const DAMAGE_TEXTS = /database disk image is malformed|malformed database schema|file is not a database/;

/** True for an error by which a database says that its data is damaged: an `Error` with a code, or a text of SQLite. */
export function isDamage(cause: unknown): boolean {
  if (typeof cause === 'string') return DAMAGE_TEXTS.test(cause);
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' && DAMAGE_CODES.test(code);
}

/** The advice for the log and for operators. */
export const DAMAGE_ADVICE =
  'run "svc admin check", then restore a backup (docs/operate/operating.md, "The store is damaged")';

/** Remembers the first damage until the hub restarts: damage does not heal by itself. */
export class DamageWatch {
  readonly #onDamage: (reason: string) => void;
  #reason: string | undefined;

  constructor(onDamage: (reason: string) => void) {
    this.#onDamage = onDamage;
  }

  /** The first error that showed the damage; undefined: none. */
  get reason(): string | undefined {
    return this.#reason;
  }

  found(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#onDamage(reason);
  }
}

/** True for a refusal whose cause is damaged data, which needs other advice. */
export function isStoreDamaged(error: unknown): error is StoreDamaged {
  return error instanceof StoreDamaged;
}

/**
 * The same database. It reports damage that a read or a write finds to `watch`.
 *
 * With `refusesWrites` it refuses all writes after that (decision 65, damage of the store): SQLite follows the links of a
 * damaged page, so a write can spread the damage; and a damaged index can miss the row that keeps a command from running
 * twice. PostgreSQL checks each page that it reads, and refuses to change a damaged one by itself.
 */
export function watched(database: OpenDatabase, watch: DamageWatch, refusesWrites: boolean): OpenDatabase {
  const reporting = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof StoreDamaged) watch.found(error.message);
      throw error;
    }
  };
  return {
    build: database.build,
    outputTables: database.outputTables,
    packsCounts: database.packsCounts,
    rows: (query) => reporting(database.rows(query)),
    reader: { rows: (query) => reporting(database.reader.rows(query)) },
    commit: (unit) =>
      refusesWrites && watch.reason !== undefined
        ? Promise.reject(new StoreDamaged(`the store is damaged and takes no writes: ${watch.reason}`))
        : reporting(database.commit(unit)),
    get figures() {
      return database.figures;
    },
    backup: (toFile) => reporting(database.backup(toFile)),
    async check(depth) {
      const findings = await database.check(depth);
      const [first] = findings;
      if (first !== undefined) watch.found(`a check found: ${first}`);
      return findings;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
