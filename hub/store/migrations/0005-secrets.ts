import type { Kysely } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/** Managed secrets, each sealed for its workspace and name (decision 13). */
export async function secrets({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('secrets')
    .addColumn('workspace_id', text, (it) => it.notNull().references('workspaces.id'))
    .addColumn('name', text, (it) => it.notNull())
    .addColumn('sealed', text, (it) => it.notNull())
    .addColumn('agents', text)
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('updated_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('updated_by', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('secrets_key', ['workspace_id', 'name'])
    .execute();
}
