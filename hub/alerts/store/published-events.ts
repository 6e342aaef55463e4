import type { AlertEvent } from '@svc/core/alert/event';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { type Statement, withEvent } from '../../platform/db/unit/statement.ts';
import { EVENT_COLUMNS, eventOfRow, eventRow } from './event-row.ts';
import type { AlertEventRow } from './table.ts';

/** Published events that have no deliveries yet. */
export class PublishedEvents {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async tell(event: AlertEvent): Promise<void> {
    await this.#database.commit([this.telling(event)]);
  }

  /** The statement that publishes an event, for the unit of work of the change. */
  telling(event: AlertEvent): Statement<never> {
    return withEvent(this.#queries.add(eventRow(event)), { kind: 'alert_stored' });
  }

  async unspread(limit: number): Promise<AlertEvent[]> {
    return (await this.#database.rows(this.#queries.first({ limit }))).map(eventOfRow);
  }

  async settled(eventId: string): Promise<void> {
    await this.#database.commit([this.#queries.remove({ id: eventId })]);
  }
}

function queriesOf({ build }: Database) {
  return {
    add: writing((it: AlertEventRow) => build.insertInto('alert_events').values(slotsOf(it, EVENT_COLUMNS))),
    first: reading((it: { limit: number }) =>
      build.selectFrom('alert_events').select(EVENT_COLUMNS).orderBy('id').limit(it.limit),
    ),
    remove: writing((it: { id: string }) => build.deleteFrom('alert_events').where('id', '=', it.id)),
  };
}
