import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** By which the hub asks the provider of a session for the groups again (decision 93, groups within a session). */
export async function groupsWithinASession(
  { schema }: Kysely<unknown>,
  { text }: ColumnTypes,
): Promise<void> {
  await schema.alterTable('provider_sessions').addColumn('workspace_id', text).execute();
  await schema.alterTable('provider_sessions').addColumn('sealed_refresh', text).execute();
  await schema.alterTable('provider_sessions').addColumn('checked_at_ms', 'bigint').execute();
  await schema
    .createIndex('provider_sessions_by_checked_at_ms')
    .on('provider_sessions')
    .column('checked_at_ms')
    .execute();
}
