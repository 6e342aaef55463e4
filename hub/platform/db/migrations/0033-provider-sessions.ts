import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Which sessions came from which session at an OpenID provider (decision 88, sign-out at the provider). */
export async function providerSessions({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('provider_sessions')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('issuer', text, (it) => it.notNull())
    .addColumn('subject', text, (it) => it.notNull())
    .addColumn('sid', text)
    .addColumn('user_id', text, (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .execute();
  for (const column of ['subject', 'sid'])
    await schema
      .createIndex(`provider_sessions_by_${column}`)
      .on('provider_sessions')
      .columns(['issuer', column])
      .execute();
  await schema
    .createIndex('provider_sessions_by_expires_at_ms')
    .on('provider_sessions')
    .column('expires_at_ms')
    .execute();
}
