import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** People and groups that a provider sends by SCIM, and accounts that their people have not entered (decision 91, provisioning by SCIM). */
export async function scim({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('scim_tokens')
    .addColumn('workspace_id', text, (it) => it.notNull().primaryKey())
    .addColumn('hash', text, (it) => it.notNull().unique())
    .addColumn('last4', text, (it) => it.notNull())
    .addColumn('default_role', text, (it) => it.notNull())
    .addColumn('created_by', text, (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('used_at_ms', 'bigint')
    .execute();
  await schema
    .createTable('scim_users')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('user_name', text, (it) => it.notNull())
    .addColumn('user_name_key', text, (it) => it.notNull())
    .addColumn('external_id', text)
    .addColumn('display_name', text)
    .addColumn('given_name', text)
    .addColumn('family_name', text)
    .addColumn('emails', text, (it) => it.notNull())
    .addColumn('email_key', text, (it) => it.notNull())
    .addColumn('account_id', text)
    .addColumn('role_group', text)
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('changed_at_ms', 'bigint', (it) => it.notNull())
    .execute();
  await schema
    .createIndex('scim_users_name')
    .on('scim_users')
    .columns(['workspace_id', 'user_name_key'])
    .unique()
    .execute();
  await schema
    .createIndex('scim_users_account')
    .on('scim_users')
    .columns(['workspace_id', 'account_id'])
    .unique()
    .execute();
  await schema
    .createTable('scim_groups')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('display_name', text, (it) => it.notNull())
    .addColumn('display_name_key', text, (it) => it.notNull())
    .addColumn('external_id', text)
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('changed_at_ms', 'bigint', (it) => it.notNull())
    .execute();
  await schema
    .createIndex('scim_groups_name')
    .on('scim_groups')
    .columns(['workspace_id', 'display_name_key'])
    .unique()
    .execute();
  await schema
    .createTable('scim_group_members')
    .addColumn('group_id', text, (it) => it.notNull())
    .addColumn('scim_user_id', text, (it) => it.notNull())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('scim_group_members_key', ['group_id', 'scim_user_id'])
    .execute();
  await schema
    .createIndex('scim_group_members_workspace')
    .on('scim_group_members')
    .columns(['workspace_id', 'scim_user_id'])
    .execute();
  await schema
    .createTable('unentered_accounts')
    .addColumn('user_id', text, (it) => it.notNull().primaryKey())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .execute();
}
