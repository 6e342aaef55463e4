import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/** Calls that wait for a person, and what was decided; what they are about is in their executions. */
export async function approvals(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const { schema } = database;
  const type = text as ReturnType<typeof sql>;
  await schema
    .createTable('approvals')
    .addColumn('id', type, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('execution_id', type, (it) => it.notNull())
    .addColumn('slug', type, (it) => it.notNull())
    .addColumn('agent_name', type, (it) => it.notNull())
    .addColumn('requested_by', type, (it) => it.notNull())
    .addColumn('requester_id', type)
    .addColumn('generation', 'bigint', (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('state', type, (it) => it.notNull())
    .addColumn('reason', type)
    .addColumn('closed_at_ms', 'bigint')
    .addColumn('closed_by_kind', type)
    .addColumn('closed_by_id', type)
    .addColumn('closed_by_name', type)
    .addColumn('comment', type)
    .addUniqueConstraint('approvals_execution', ['execution_id'])
    .execute();
  await schema
    .createIndex('approvals_by_workspace')
    .on('approvals')
    .columns(['workspace_id', 'id'])
    .execute();
  // Few of all are pending: these are what the hub looks for each second.
  await schema
    .createIndex('approvals_pending')
    .on('approvals')
    .columns(['expires_at_ms'])
    .where(sql<boolean>`state = 'pending'`)
    .execute();
  // When it was queued, where that was later than its request: its unit of the quota is of that month.
  await schema.alterTable('executions').addColumn('queued_at_ms', sql`bigint`).execute();
}
