import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Former usernames of workspaces (decision 102, change of username). */
export async function formerUsernames({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('usernames').addColumn('old_urls', text).execute();
  await schema.alterTable('usernames').addColumn('retired_at_ms', 'bigint').execute();
  await schema.alterTable('workspaces').addColumn('former_usernames', text).execute();
  await schema.alterTable('workspace_providers').addColumn('callback_username', text).execute();
}
