import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Whether a workspace demands a second factor of its members (decision 100, second factor). */
export async function workspaceSecondFactor(
  { schema }: Kysely<unknown>,
  { text }: ColumnTypes,
): Promise<void> {
  await schema.alterTable('workspaces').addColumn('second_factor', text).execute();
}
