import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The sessions for one workspace that made access tokens (decision 92, providers of workspaces). */
export async function tokensForOneWorkspace(
  { schema }: Kysely<unknown>,
  { text }: ColumnTypes,
): Promise<void> {
  await schema.alterTable('access_tokens').addColumn('bound_session_id', text).execute();
  await schema.alterTable('device_codes').addColumn('bound_session_id', text).execute();
}
