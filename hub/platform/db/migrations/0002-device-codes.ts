import type { Kysely } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/** Codes with which programs sign in, confirmed in a browser (RFC 8628). */
export async function deviceCodes(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await database.schema
    .createTable('device_codes')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('device_hash', text, (it) => it.notNull())
    .addColumn('user_hash', text, (it) => it.notNull())
    .addColumn('client_name', text)
    .addColumn('state', text, (it) => it.notNull())
    .addColumn('interval_sec', 'bigint', (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('polled_at_ms', 'bigint')
    .addColumn('user_id', text)
    .addColumn('workspace_id', text)
    .addUniqueConstraint('device_codes_device_hash', ['device_hash'])
    .addUniqueConstraint('device_codes_user_hash', ['user_hash'])
    .execute();
  await database.schema
    .createIndex('device_codes_by_expires_at_ms')
    .on('device_codes')
    .column('expires_at_ms')
    .execute();
}
