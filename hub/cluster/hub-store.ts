import type { Database } from '../platform/db/database.ts';
import { LAST_MIGRATION } from '../platform/db/migrations/migrate.ts';
import { reading, slotsOf, writing } from '../platform/db/unit/precompile.ts';
import type { Hubs } from './hub-ports.ts';

export class StoredHubs implements Hubs {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async heartbeat(hubId: string, nowMs: number): Promise<void> {
    const row = { id: hubId, beat_at_ms: nowMs, knows_schema: LAST_MIGRATION, knows_at_ms: nowMs };
    await this.#database.commit([this.#queries.heartbeat(row)]);
  }

  async heartbeats(): Promise<Map<string, number>> {
    const rows = await this.#database.rows(this.#queries.heartbeats({}));
    return new Map(rows.map(({ id, beat_at_ms }) => [id, beat_at_ms]));
  }

  async without(migration: string): Promise<string[]> {
    const rows = await this.#database.rows(this.#queries.without({ knows_schema: migration }));
    return rows.map(({ id }) => id);
  }

  async forget(hubId: string): Promise<void> {
    await this.#database.commit([this.#queries.forget({ id: hubId })]);
  }
}

interface HubRow {
  readonly id: string;
  readonly beat_at_ms: number;
  readonly knows_schema: string;
  readonly knows_at_ms: number;
}

function queriesOf({ build }: Database) {
  return {
    heartbeat: writing(
      (it: HubRow) =>
        build
          .insertInto('hubs')
          .values(slotsOf(it, ['id', 'beat_at_ms', 'knows_schema', 'knows_at_ms']))
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet(slotsOf(it, ['beat_at_ms', 'knows_schema', 'knows_at_ms'])),
          ),
      { periodic: true },
    ),
    // A hub of an earlier version with the id of a later one writes the heartbeat alone.
    without: reading((it: { knows_schema: string }) =>
      build
        .selectFrom('hubs')
        .select('id')
        .where((row) =>
          row.or([
            row('knows_at_ms', 'is', null),
            row('knows_at_ms', '!=', row.ref('beat_at_ms')),
            row('knows_schema', '<', it.knows_schema),
          ]),
        )
        .orderBy('id'),
    ),
    heartbeats: reading(() => build.selectFrom('hubs').select(['id', 'beat_at_ms'])),
    forget: writing((it: { id: string }) => build.deleteFrom('hubs').where('id', '=', it.id)),
  };
}
