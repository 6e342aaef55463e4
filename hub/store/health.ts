import { Refusal } from '@svc/core/refusal';
import type { Database } from './database.ts';
import { slotsOf, writing } from './unit/precompile.ts';

export type Health = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Finds out by writing: a disk that is full and a file that is locked can be read very well. */
export class HealthProbe {
  readonly #database: Database;
  readonly #write: ReturnType<typeof probe>;
  #underWay: Promise<Health> | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#write = probe(database);
  }

  /** Who asks while somebody else's probe is under way shares it. */
  check(): Promise<Health> {
    this.#underWay ??= this.#probe().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #probe(): Promise<Health> {
    try {
      await this.#database.commit([this.#write({ id: 1, at_ms: Date.now() })]);
      return { ok: true };
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unavailable')
        return { ok: false, reason: error.message };
      throw error;
    }
  }
}

function probe({ build }: Database) {
  return writing((it: { id: number; at_ms: number }) =>
    build
      .insertInto('write_probe')
      .values(slotsOf(it, ['id', 'at_ms']))
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ at_ms: it.at_ms })),
  );
}
