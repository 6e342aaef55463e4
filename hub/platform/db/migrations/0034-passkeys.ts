import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The passkeys of users, and which sessions began with which (decision 86, passkeys). */
export async function passkeys({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('passkeys')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('user_id', text, (it) => it.notNull())
    .addColumn('credential_id', text, (it) => it.notNull().unique())
    .addColumn('public_key', text, (it) => it.notNull())
    .addColumn('counter', 'bigint', (it) => it.notNull())
    .addColumn('is_backed_up', 'bigint', (it) => it.notNull())
    .addColumn('name', text, (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('used_at_ms', 'bigint')
    .execute();
  await schema.createIndex('passkeys_by_user').on('passkeys').column('user_id').execute();
  await schema.alterTable('access_tokens').addColumn('passkey_id', text).execute();
}
