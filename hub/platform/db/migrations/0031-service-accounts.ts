import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Programs with a role in a workspace, and which keys are theirs (decision 81, service accounts). */
export async function serviceAccounts({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('service_accounts')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('name', text, (it) => it.notNull())
    .addColumn('role', text, (it) => it.notNull())
    .addColumn('created_by', text, (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('disabled_at_ms', 'bigint')
    .execute();
  await schema
    .createIndex('service_accounts_workspace')
    .on('service_accounts')
    .column('workspace_id')
    .execute();
  await schema.alterTable('api_keys').addColumn('service_account_id', text).execute();
}
