import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Changes of the addresses of accounts (decision 101, change of address). */
export async function emailChanges({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('email_changes')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('user_id', text, (it) => it.notNull())
    .addColumn('from_email', text, (it) => it.notNull())
    .addColumn('from_key', text, (it) => it.notNull())
    .addColumn('to_email', text, (it) => it.notNull())
    .addColumn('state', text, (it) => it.notNull())
    .addColumn('revision', 'integer', (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('old_confirmed_at_ms', 'bigint')
    .addColumn('new_confirmed_at_ms', 'bigint')
    .addColumn('closed_at_ms', 'bigint')
    .execute();
  await schema
    .createIndex('email_changes_by_user')
    .on('email_changes')
    .columns(['user_id', 'state'])
    .execute();
  await schema
    .createIndex('email_changes_by_from_key')
    .on('email_changes')
    .columns(['from_key', 'closed_at_ms'])
    .execute();
  await schema
    .createIndex('email_changes_by_expires_at_ms')
    .on('email_changes')
    .column('expires_at_ms')
    .execute();
}
