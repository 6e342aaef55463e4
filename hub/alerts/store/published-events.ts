import type { AlertEvent } from '@svc/core/alert/event';
import type { Database } from '../../platform/db/database.ts';
import { reading, slotsOf, writing } from '../../platform/db/unit/precompile.ts';
import { recordOf, rowOf } from '../../platform/db/unit/record-of-row.ts';
import { type Statement, withEvent } from '../../platform/db/unit/statement.ts';
import type { AlertEventRow } from './table.ts';

/** Published events that have no deliveries yet. */
export class PublishedEvents {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async publish(event: AlertEvent): Promise<void> {
    await this.#database.commit([this.statementFor(event)]);
  }

  /** The statement that publishes an event, for the unit of work of the change. */
  statementFor(event: AlertEvent): Statement<never> {
    return withEvent(this.#queries.add(eventRow(event)), { kind: 'alert_stored' });
  }

  async eventsToFanOut(limit: number): Promise<AlertEvent[]> {
    return (await this.#database.rows(this.#queries.first({ limit }))).map(eventOfRow);
  }

  async removeEvent(eventId: string): Promise<void> {
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

const EVENT_COLUMNS = [
  'id',
  'workspace_id',
  'name',
  'at_ms',
  'slug',
  'agent_name',
  'data',
  'sealed_link',
  'callback_url',
] as const;

export function eventRow(event: AlertEvent): AlertEventRow {
  return rowOf({ ...event, data: JSON.stringify(event.data) });
}

export function eventOfRow(row: AlertEventRow): AlertEvent {
  return { ...recordOf(row), data: JSON.parse(row.data) as AlertEvent['data'] };
}
