import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The groups of a member at the sign-in provider, as the last sign-in proved them (decision 94, groups in grants). */
export async function memberGroups({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('member_groups')
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('user_id', text, (it) => it.notNull())
    .addColumn('joined_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('group_names', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('member_groups_key', ['workspace_id', 'user_id'])
    .execute();
}
