import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The sign-in providers of workspaces, and the people there who are linked to users (decision 92, providers of workspaces). */
export async function workspaceProviders({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('workspace_providers')
    .addColumn('workspace_id', text, (it) => it.notNull().primaryKey())
    .addColumn('issuer', text, (it) => it.notNull())
    .addColumn('client_id', text, (it) => it.notNull())
    .addColumn('sealed_secret', text)
    .addColumn('name', text, (it) => it.notNull())
    .addColumn('scopes', text, (it) => it.notNull())
    .addColumn('groups_claim', text)
    .addColumn('revision', 'bigint', (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('updated_at_ms', 'bigint', (it) => it.notNull())
    .execute();
  await schema
    .createTable('workspace_identities')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('issuer', text, (it) => it.notNull())
    .addColumn('subject', text, (it) => it.notNull())
    .addColumn('user_id', text, (it) => it.notNull())
    .addColumn('email', text)
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('used_at_ms', 'bigint', (it) => it.notNull())
    .addUniqueConstraint('workspace_identities_of_provider', ['workspace_id', 'issuer', 'subject'])
    .execute();
  await schema
    .createIndex('workspace_identities_by_user')
    .on('workspace_identities')
    .column('user_id')
    .execute();
  await schema.alterTable('workspaces').addColumn('sign_in', text).execute();
}
