import type { Database } from '../platform/db/database.ts';
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
    await this.#database.commit([this.#queries.heartbeat({ id: hubId, beat_at_ms: nowMs })]);
  }

  async heartbeats(): Promise<Map<string, number>> {
    const rows = await this.#database.rows(this.#queries.heartbeats({}));
    return new Map(rows.map(({ id, beat_at_ms }) => [id, beat_at_ms]));
  }

  async forget(hubId: string): Promise<void> {
    await this.#database.commit([this.#queries.forget({ id: hubId })]);
  }
}

function queriesOf({ build }: Database) {
  return {
    heartbeat: writing((it: { id: string; beat_at_ms: number }) =>
      build
        .insertInto('hubs')
        .values(slotsOf(it, ['id', 'beat_at_ms']))
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ beat_at_ms: it.beat_at_ms })),
    ),
    heartbeats: reading(() => build.selectFrom('hubs').select(['id', 'beat_at_ms'])),
    forget: writing((it: { id: string }) => build.deleteFrom('hubs').where('id', '=', it.id)),
  };
}
