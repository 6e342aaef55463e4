import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The URL to which the hub reports the end of an execution, and the rules that wait for a success (decision 39, alerts). */
export async function callbacksAndSuccesses(
  { schema }: Kysely<unknown>,
  { text, clustered }: ColumnTypes,
): Promise<void> {
  await schema.alterTable('executions').addColumn('callback_url', text).execute();
  await schema.alterTable('alert_rules').addColumn('no_success_mins', sql`bigint`).execute();
  await schema
    .createIndex('alert_rules_no_success')
    .on('alert_rules')
    .column('id')
    .where(sql.ref('no_success_mins'), 'is not', null)
    .execute();
  // Rules whose alert about a missing success was sent, and that wait for the next success.
  await schema
    .createTable('missing_successes')
    .addColumn('rule_id', text, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('alerted_at_ms', 'bigint', (it) => it.notNull())
    .modifyEnd(clustered)
    .execute();
}
