import { Refusal } from '@svc/core/refusal';
import type { Database } from './database.ts';
import { slotsOf, writing } from './unit/precompile.ts';

/** The largest size that a call may need. A smaller probe could succeed on a disk that is nearly full. */
const BALLAST_BYTES = 64 * 1024;

export type Health = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Checks by a write, because a full disk and a locked file can still be read. */
export class HealthProbe {
  readonly #database: Database;
  readonly #write: ReturnType<typeof probe>;
  readonly #ballast = new Uint8Array(BALLAST_BYTES);
  #underWay: Promise<Health> | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#write = probe(database);
  }

  /** Concurrent checks share one probe. */
  check(): Promise<Health> {
    this.#underWay ??= this.#probe().finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  async #probe(): Promise<Health> {
    try {
      await this.#database.commit([this.#write({ id: 1, ballast: crypto.getRandomValues(this.#ballast) })]);
      return { ok: true };
    } catch (error) {
      if (error instanceof Refusal && error.code === 'unavailable')
        return { ok: false, reason: error.message };
      throw error;
    }
  }
}

function probe({ build }: Database) {
  return writing(
    (it: { id: number; ballast: Uint8Array }) =>
      build
        .insertInto('write_probe')
        .values(slotsOf(it, ['id', 'ballast']))
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ ballast: it.ballast })),
    { periodic: true },
  );
}
