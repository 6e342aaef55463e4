import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { type Compilable, reading, writing } from '../../platform/db/unit/precompile.ts';
import type { SealedText } from '../secret-ports.ts';

/** All sealed texts of the store, across its tables. A change of the master key rewrites them. */
export class SealedTexts {
  /** Tables and columns, such as `secrets.sealed`. */
  readonly places = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);
  readonly #database: Database;
  readonly #queries: ReadonlyMap<string, ReturnType<typeof sealedQueries>>;

  constructor(database: Database) {
    this.#database = database;
    this.#queries = new Map(
      SEALED_COLUMNS.map((one, index) => [this.places[index] ?? '', sealedQueries(database, one)]),
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

interface SealedColumn {
  readonly table: string;
  /** The two columns that identify a row; the same column twice when one is enough. */
  readonly key: readonly [scope: string, id: string];
  readonly column: string;
}

/** Every column with texts that the vault sealed. A change of the master key must reach all of them; a test finds a missing one. */
export const SEALED_COLUMNS = [
  { table: 'secrets', key: ['workspace_id', 'name'], column: 'sealed' },
  { table: 'executions', key: ['workspace_id', 'id'], column: 'sealed_args' },
  { table: 'idempotency', key: ['endpoint_id', 'execution_id'], column: 'request_hash' },
  { table: 'pipeline_run_inputs', key: ['run_id', 'run_id'], column: 'sealed_input' },
  { table: 'pipeline_run_inputs', key: ['run_id', 'run_id'], column: 'sealed_secrets' },
  { table: 'pipeline_run_inputs', key: ['run_id', 'run_id'], column: 'sealed_request' },
  { table: 'mails', key: ['id', 'id'], column: 'sealed_body' },
  { table: 'alert_rules', key: ['workspace_id', 'id'], column: 'sealed_target' },
  { table: 'alert_rules', key: ['workspace_id', 'id'], column: 'sealed_secret' },
  { table: 'alert_rules', key: ['workspace_id', 'id'], column: 'previous_secret' },
  { table: 'pipelines', key: ['workspace_id', 'id'], column: 'sealed_secret' },
  { table: 'callback_secrets', key: ['workspace_id', 'workspace_id'], column: 'sealed_secret' },
  { table: 'callback_secrets', key: ['workspace_id', 'workspace_id'], column: 'previous_secret' },
  { table: 'workspace_providers', key: ['workspace_id', 'workspace_id'], column: 'sealed_secret' },
  { table: 'provider_sessions', key: ['id', 'id'], column: 'sealed_refresh' },
  { table: 'alert_events', key: ['workspace_id', 'id'], column: 'sealed_link' },
  { table: 'alert_deliveries', key: ['workspace_id', 'id'], column: 'sealed_link' },
] as const satisfies readonly SealedColumn[];

interface SealedTextQuery {
  readonly sealed_so: string;
  readonly scope: string;
  readonly id: string;
  readonly limit: number;
}

interface SealedTextChange {
  readonly scope: string;
  readonly id: string;
  readonly old: string;
  readonly sealed: string;
}

type Found = Pick<SealedText, 'scope' | 'id' | 'sealed'>;

/** The queries that find and replace the texts of one column. */
function sealedQueries({ build }: Database, { table, key: [scope, id], column }: SealedColumn) {
  const compilable = (query: RawBuilder<Found>) => ({ compile: () => query.compile(build) });
  const [from, scopeOf, idOf, sealed] = [sql.table(table), sql.ref(scope), sql.ref(id), sql.ref(column)];
  return {
    find: reading((it: SealedTextQuery): Compilable<unknown> & { execute(): Promise<Found[]> } => ({
      ...compilable(sql<Found>`
        select ${scopeOf} as scope, ${idOf} as id, ${sealed} as sealed from ${from}
        where ${sealed} is not null and ${sealed} not like ${it.sealed_so}
          and (${scopeOf}, ${idOf}) > (${it.scope}, ${it.id})
        order by ${scopeOf}, ${idOf} limit ${it.limit}`),
      execute: () => Promise.reject(new Error('only compiled')),
    })),
    replace: writing(
      (it: SealedTextChange) =>
        compilable(sql`
          update ${from} set ${sealed} = ${it.sealed}
          where ${scopeOf} = ${it.scope} and ${idOf} = ${it.id} and ${sealed} = ${it.old}`),
      { unlessChanged: 'changed' },
    ),
  };
}
