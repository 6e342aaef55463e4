import { type DamageWatch, StoreDamaged } from './damage.ts';
import type { OpenDatabase } from './open-database.ts';

/**
 * The same database, which reports damage that a read or a write finds to `watch`.
 *
 * Where `refusesWrites`, nothing is written from then on (decision 65): SQLite follows the links of a damaged page, so a write
 * can spread the damage, and a damaged index can miss the row that keeps a command from running twice. PostgreSQL checks
 * each page that it reads and refuses by itself what would touch a damaged one.
 */
export function watched(database: OpenDatabase, watch: DamageWatch, refusesWrites: boolean): OpenDatabase {
  const telling = async <Result>(work: Promise<Result>): Promise<Result> => {
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
    rows: (query) => telling(database.rows(query)),
    reader: { rows: (query) => telling(database.reader.rows(query)) },
    commit: (unit) =>
      refusesWrites && watch.reason !== undefined
        ? Promise.reject(new StoreDamaged(`the store is damaged and takes no writes: ${watch.reason}`))
        : telling(database.commit(unit)),
    get figures() {
      return database.figures;
    },
    backup: (toFile) => telling(database.backup(toFile)),
    async check(depth) {
      const findings = await database.check(depth);
      const [first] = findings;
      if (first !== undefined) watch.found(`a check found: ${first}`);
      return findings;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}
