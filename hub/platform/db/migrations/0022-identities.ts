import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Users' identities at OpenID providers, and the sign-ins there that have returned (decision 71, single sign-on). */
export async function identities(
  { schema }: Kysely<unknown>,
  { text, clustered }: ColumnTypes,
): Promise<void> {
  await schema
    .createTable('identities')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('issuer', text, (it) => it.notNull())
    .addColumn('subject', text, (it) => it.notNull())
    .addColumn('user_id', text, (it) => it.notNull())
    .addColumn('email', text)
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('used_at_ms', 'bigint', (it) => it.notNull())
    .addUniqueConstraint('identities_subject', ['issuer', 'subject'] as never)
    .execute();
  await schema.createIndex('identities_by_user').on('identities').column('user_id').execute();
  await schema
    .createTable('used_sign_ins')
    .addColumn('id', text, (it) => it.notNull().primaryKey())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .modifyEnd(clustered)
    .execute();
  await schema
    .createIndex('used_sign_ins_by_expires_at_ms')
    .on('used_sign_ins')
    .column('expires_at_ms')
    .execute();
}
