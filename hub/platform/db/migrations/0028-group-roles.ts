import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The roles of groups at the sign-in provider, and the group that made a membership (decision 78, roles by groups). */
export async function groupRoles({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('group_roles')
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('group_name', text, (it) => it.notNull())
    .addColumn('role', text, (it) => it.notNull())
    .addColumn('domains', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('group_roles_key', ['workspace_id', 'group_name'] as never)
    .execute();
  await schema.createIndex('group_roles_by_name').on('group_roles').column('group_name').execute();
  await schema.alterTable('members').addColumn('via_group', text).execute();
}
