import type { EventStream } from '../event-stream.ts';
import type { Database } from './database.ts';
import type { OpenDatabase } from './open-database.ts';
import type { Unit } from './unit/statement.ts';

/** The same database, which publishes the events of a unit after its commit. */
export function publishing(database: OpenDatabase, stream: EventStream): Database {
  const publish = (unit: Unit, requestedAtMs?: number) => {
    for (const { event } of unit) if (event !== undefined) stream.publish(event, requestedAtMs);
  };
  return {
    build: database.build,
    outputTables: database.outputTables,
    rows: (query) => database.rows(query),
    reader: database.reader,
    async commit(unit) {
      const requestedAtMs = performance.now();
      const outcome = await database.commit(unit);
      if (outcome === 'stored') publish(unit, requestedAtMs);
      return outcome;
    },
    publish,
  };
}
