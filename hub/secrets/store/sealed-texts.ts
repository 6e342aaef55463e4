import type { Database } from '../../platform/db/database.ts';
import type { SealedText } from '../secret-ports.ts';
import { queriesOf, SEALED_COLUMNS } from './sealed-columns.ts';

/** All sealed texts of the store, across its tables. A change of the master key rewrites them. */
export class SealedTexts {
  /** Tables and columns, such as `secrets.sealed`. */
  readonly places = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  readonly #database: Database;
  readonly #queries: ReadonlyMap<string, ReturnType<typeof queriesOf>>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = new Map(
      SEALED_COLUMNS.map((one, index) => [this.places[index] ?? '', queriesOf(database, one)]),
    );
  }

  /** Texts of one place that another key sealed, in a stable order, after the given one. */
  async notUnder(
    keyId: string,
    place: string,
    after: SealedText | undefined,
    limit: number,
  ): Promise<SealedText[]> {
    const { scope = '', id = '' } = after ?? {};
    const query = this.#of(place).find({ sealed_so: `v1.${keyId}.%`, scope, id, limit });
    const rows = await this.#database.rows(query);
    return rows.map((row) => ({ place, ...row }));
  }

  /** Compare-and-set: false when the text has changed or no longer exists. */
  async replace({ place, scope, id, sealed: old }: SealedText, sealed: string): Promise<boolean> {
    const unit = [this.#of(place).replace({ scope, id, old, sealed })];
    return (await this.#database.commit(unit)) === 'stored';
  }

  #of(place: string) {
    const queries = this.#queries.get(place);
    if (queries === undefined) throw new Error(`nothing is sealed in ${place}`);
    return queries;
  }
}
