import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/**
 * The hosted runner: who may serve it, who does, what each workspace may have of it, and which host has the volume of a
 * pipeline run. How much of it runs is counted in `executions`: a place is given back by whatever ends one.
 */
export async function hosted(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const { schema } = database;
  const type = text as ReturnType<typeof sql>;
  await schema
    .createTable('runner_tokens')
    .addColumn('id', type, (it) => it.notNull().primaryKey())
    .addColumn('name', type, (it) => it.notNull())
    .addColumn('hash', type, (it) => it.notNull().unique())
    .addColumn('last4', type, (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('revoked_at_ms', 'bigint')
    .execute();
  await schema
    .createTable('runners')
    .addColumn('instance', type, (it) => it.notNull().primaryKey())
    .addColumn('token_id', type, (it) => it.notNull())
    .addColumn('version', type, (it) => it.notNull())
    .addColumn('hostname', type, (it) => it.notNull())
    .addColumn('engine', type, (it) => it.notNull())
    .addColumn('capacity', 'bigint', (it) => it.notNull())
    // The hub that it is connected to; null: none.
    .addColumn('hub_id', type)
    .addColumn('connected_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('seen_at_ms', 'bigint', (it) => it.notNull())
    .execute();
  await schema
    .createTable('hosted_workspaces')
    .addColumn('workspace_id', type, (it) => it.notNull().primaryKey())
    // Whoever begins an execution takes its row first, so that the places are counted by one at a time.
    .addColumn('turn', 'bigint', (it) => it.notNull())
    .addColumn('network', 'bigint', (it) => it.notNull())
    .execute();
  await schema
    .createTable('hosted_runs')
    .addColumn('run_id', type, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('instance', type, (it) => it.notNull())
    .addColumn('pinned_at_ms', 'bigint', (it) => it.notNull())
    .execute();
  for (const column of ['workspace_id', 'pinned_at_ms'])
    await schema.createIndex(`hosted_runs_by_${column}`).on('hosted_runs').column(column).execute();
  await schema
    .createIndex('executions_hosted_running')
    .on('executions')
    .column('workspace_id')
    .where(sql<boolean>`agent_name = 'hosted' and state = 'running'`)
    .execute();
}
