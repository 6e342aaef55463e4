import type { EventStream } from '../event-stream.ts';
import type { Database, OpenDatabase } from './database.ts';
import type { UnitOfWork } from './unit/statement.ts';

/** The same database. It publishes the events of a unit after its commit. */
export function publishing(database: OpenDatabase, stream: EventStream): Database {
  const publish = (unit: UnitOfWork, requestedAtMs?: number, isStored = true) => {
    for (const { event } of unit)
      if (event !== undefined && (isStored || event.kind === 'lookups_stale'))
        stream.publish(event, requestedAtMs);
  };
  return {
    build: database.build,
    outputTables: database.outputTables,
    packsCounts: database.packsCounts,
    rows: (query) => database.rows(query),
    reader: database.reader,
    async commit(unit) {
      const requestedAtMs = performance.now();
      let isStored = false;
      try {
        const outcome = await database.commit(unit);
        isStored = outcome === 'stored';
        return outcome;
      } finally {
        publish(unit, requestedAtMs, isStored);
      }
    },
    publish,
  };
}
