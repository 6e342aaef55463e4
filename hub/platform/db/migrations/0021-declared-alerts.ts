import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The alert rules of files: the endpoint that declares one, its name there, and who announced it (decision 70, alert rules in a file). */
export async function declaredAlerts({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  for (const column of ['declared_by', 'declared_as', 'declared_token', 'declared_instance'])
    await schema.alterTable('alert_rules').addColumn(column, text).execute();
}
