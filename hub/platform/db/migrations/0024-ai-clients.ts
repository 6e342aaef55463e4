import type { Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * What users allowed AI clients to do (decision 74, access for AI clients). A grant whose code was redeemed has a row in
 * `api_keys` with the same id, so that its calls and their approvals are those of a key.
 */
export async function aiClients(
  { schema }: Kysely<unknown>,
  { text, clustered }: ColumnTypes,
): Promise<void> {
  const type = text as ReturnType<typeof sql>;
  await schema
    .createTable('oauth_grants')
    .addColumn('id', type, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('user_id', type, (it) => it.notNull())
    .addColumn('client_id', type, (it) => it.notNull())
    .addColumn('client_name', type, (it) => it.notNull())
    .addColumn('redirect_uri', type, (it) => it.notNull())
    .addColumn('resource', type, (it) => it.notNull())
    .addColumn('scopes', type, (it) => it.notNull())
    .addColumn('state', type, (it) => it.notNull())
    .addColumn('code_hash', type, (it) => it.notNull())
    .addColumn('code_challenge', type, (it) => it.notNull())
    .addColumn('code_expires_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('generation', 'bigint', (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .modifyEnd(clustered)
    .execute();
  await schema.createIndex('oauth_grants_code').unique().on('oauth_grants').column('code_hash').execute();
  await schema.createIndex('oauth_grants_workspace').on('oauth_grants').column('workspace_id').execute();
  await schema.createIndex('oauth_grants_expires').on('oauth_grants').column('expires_at_ms').execute();
  await schema
    .createTable('oauth_tokens')
    .addColumn('hash', type, (it) => it.notNull().primaryKey())
    .addColumn('grant_id', type, (it) => it.notNull())
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('kind', type, (it) => it.notNull())
    .addColumn('generation', 'bigint', (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .modifyEnd(clustered)
    .execute();
  await schema.createIndex('oauth_tokens_expires').on('oauth_tokens').column('expires_at_ms').execute();
  await schema.createIndex('oauth_tokens_workspace').on('oauth_tokens').column('workspace_id').execute();
}
