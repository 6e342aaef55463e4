import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** What AI agents may do in a workspace; null: everything that their keys allow (decision 79, access of AI agents). */
export async function aiAccess({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('workspaces').addColumn('ai_access', text).execute();
}
