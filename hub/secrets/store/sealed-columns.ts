import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { type Compilable, reading, writing } from '../../platform/db/unit/precompile.ts';
import type { SealedText } from '../secret-ports.ts';

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
  { table: 'alert_events', key: ['workspace_id', 'id'], column: 'sealed_link' },
  { table: 'alert_deliveries', key: ['workspace_id', 'id'], column: 'sealed_link' },
] as const satisfies readonly SealedColumn[];

export interface SealedTextQuery {
  readonly sealed_so: string;
  readonly scope: string;
  readonly id: string;
  readonly limit: number;
}

export interface SealedTextChange {
  readonly scope: string;
  readonly id: string;
  readonly old: string;
  readonly sealed: string;
}

type Found = Pick<SealedText, 'scope' | 'id' | 'sealed'>;

/** The queries that find and replace the texts of one column. */
export function queriesOf({ build }: Database, { table, key: [scope, id], column }: SealedColumn) {
  const compilable = (query: RawBuilder<Found>) => ({ compile: () => query.compile(build) });
  const [from, scopeOf, idOf, sealed] = [sql.table(table), sql.ref(scope), sql.ref(id), sql.ref(column)];
  return {
    find: reading((it: SealedTextQuery): Compilable<unknown> & { execute(): Promise<Found[]> } => ({
      ...compilable(sql<Found>`
        select ${scopeOf} as scope, ${idOf} as id, ${sealed} as sealed from ${from}
        where ${sealed} is not null and ${sealed} not like ${it.sealed_so}
          and (${scopeOf} > ${it.scope} or (${scopeOf} = ${it.scope} and ${idOf} > ${it.id}))
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
