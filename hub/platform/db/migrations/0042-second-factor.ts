import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Second factors of users, their recovery codes, and sessions that wait for the second factor (decision 100, second factor). */
export async function secondFactor({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('users').addColumn('second_factor_since_ms', 'bigint').execute();
  await schema
    .createTable('recovery_codes')
    .addColumn('user_id', text, (it) => it.notNull())
    .addColumn('hash', text, (it) => it.notNull())
    .addColumn('made_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('used_at_ms', 'bigint')
    .addPrimaryKeyConstraint('recovery_codes_of_user', ['user_id', 'hash'])
    .execute();
  await schema.alterTable('access_tokens').addColumn('full_expires_at_ms', 'bigint').execute();
  await schema.alterTable('access_tokens').addColumn('address', text).execute();
}
