import type { Hubs } from '../engine/ports.ts';
import type { Database } from './database.ts';
import { reading, slotsOf, writing } from './unit/precompile.ts';

export class StoredHubs implements Hubs {
  readonly #database: Database;
  readonly #queries: ReturnType<typeof queriesOf>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = queriesOf(database);
  }

  async beat(hubId: string, nowMs: number): Promise<void> {
    await this.#database.commit([this.#queries.beat({ id: hubId, beat_at_ms: nowMs })]);
  }

  async silentSince(beforeMs: number): Promise<string[]> {
    const rows = await this.#database.rows(this.#queries.silentSince({ before_ms: beforeMs }));
    return rows.map(({ id }) => id);
  }

  async forget(hubId: string): Promise<void> {
    await this.#database.commit([this.#queries.forget({ id: hubId })]);
  }
}

function queriesOf({ build }: Database) {
  return {
    beat: writing((it: { id: string; beat_at_ms: number }) =>
      build
        .insertInto('hubs')
        .values(slotsOf(it, ['id', 'beat_at_ms']))
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ beat_at_ms: it.beat_at_ms })),
    ),
    silentSince: reading((it: { before_ms: number }) =>
      build.selectFrom('hubs').select('id').where('beat_at_ms', '<', it.before_ms).orderBy('id'),
    ),
    forget: writing((it: { id: string }) => build.deleteFrom('hubs').where('id', '=', it.id)),
  };
}
