import type { Kysely } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/** One chain of entries for each workspace, and where it ends (decision 48, the audit log). Both outlive the workspace. */
export async function audit({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('audit_heads')
    .addColumn('workspace_id', text, (it) => it.notNull().primaryKey())
    .addColumn('seq', 'bigint', (it) => it.notNull())
    .addColumn('hash', text, (it) => it.notNull())
    .addColumn('closed_at_ms', 'bigint')
    .execute();
  await schema
    .createTable('audit_entries')
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('seq', 'bigint', (it) => it.notNull())
    .addColumn('at_ms', 'bigint', (it) => it.notNull())
    .addColumn('action', text, (it) => it.notNull())
    .addColumn('actor_id', text)
    .addColumn('text', text, (it) => it.notNull())
    .addColumn('hash', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('audit_entries_key', ['workspace_id', 'seq'])
    .execute();
  for (const column of ['action', 'actor_id'])
    await schema
      .createIndex(`audit_entries_by_${column}`)
      .on('audit_entries')
      .columns(['workspace_id', column, 'seq'])
      .execute();
}
