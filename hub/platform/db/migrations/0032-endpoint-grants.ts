import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Endpoints for members, viewers and service accounts beside their role (decision 87, rights per endpoint). */
export async function endpointGrants({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('endpoint_grants')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('grantee_kind', text, (it) => it.notNull())
    .addColumn('grantee', text, (it) => it.notNull())
    .addColumn('endpoints', text, (it) => it.notNull())
    .addColumn('can', text, (it) => it.notNull())
    .addColumn('created_by', text, (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .execute();
  await schema
    .createIndex('endpoint_grants_workspace')
    .on('endpoint_grants')
    .column('workspace_id')
    .execute();
  await schema.alterTable('workspaces').addColumn('endpoint_access', text).execute();
}
