import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The workspace that a person used last (decision 103, several own workspaces). */
export async function lastWorkspace({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('users').addColumn('last_workspace_id', text).execute();
}
