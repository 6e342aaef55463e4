import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * What users allowed AI clients to do (decision 74, access for AI clients). A grant whose code was redeemed has a row in
 * `api_keys` with the same id, so that its calls and their approvals are those of a key.
 */
export async function aiClients(
  { schema }: Kysely<unknown>,
  { text, clustered }: ColumnTypes,
): Promise<void> {
  await schema
    .createTable('oauth_grants')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('user_id', text, (it) => it.notNull())
    .addColumn('client_id', text, (it) => it.notNull())
    .addColumn('client_name', text, (it) => it.notNull())
    .addColumn('redirect_uri', text, (it) => it.notNull())
    .addColumn('resource', text, (it) => it.notNull())
    .addColumn('scopes', text, (it) => it.notNull())
    .addColumn('state', text, (it) => it.notNull())
    .addColumn('code_hash', text, (it) => it.notNull())
    .addColumn('code_challenge', text, (it) => it.notNull())
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
    .addColumn('hash', text, (it) => it.notNull().primaryKey())
    .addColumn('grant_id', text, (it) => it.notNull())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('kind', text, (it) => it.notNull())
    .addColumn('generation', 'bigint', (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .modifyEnd(clustered)
    .execute();
  await schema.createIndex('oauth_tokens_expires').on('oauth_tokens').column('expires_at_ms').execute();
  await schema.createIndex('oauth_tokens_workspace').on('oauth_tokens').column('workspace_id').execute();
}
