import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/** What an execution remembers until it is no longer needed: values that are secret, and that it is to be cancelled. */
export async function cancelAndSecretArguments(
  database: Kysely<unknown>,
  { text }: ColumnTypes,
): Promise<void> {
  const { schema } = database;
  await schema
    .alterTable('executions')
    .addColumn('sealed_args', text as ReturnType<typeof sql>)
    .execute();
  await schema.alterTable('executions').addColumn('cancel_asked_at_ms', sql`bigint`).execute();
}
