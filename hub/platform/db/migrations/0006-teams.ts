import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/** Invitations; the revision on which changes of a team are decided; what people are shown of their sessions and tokens. */
export async function teams(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const { schema } = database;
  const type = text as ReturnType<typeof sql>;
  await schema
    .createTable('invites')
    .addColumn('id', type, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('email', type, (it) => it.notNull())
    .addColumn('email_key', type, (it) => it.notNull())
    .addColumn('role', type, (it) => it.notNull())
    .addColumn('state', type, (it) => it.notNull())
    .addColumn('generation', 'bigint', (it) => it.notNull())
    .addColumn('invited_by', type, (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('closed_at_ms', 'bigint')
    .addForeignKeyConstraint('invites_workspace', ['workspace_id'], 'workspaces', ['id'])
    .execute();
  for (const columns of [['workspace_id', 'state'], ['email_key', 'state'], ['expires_at_ms']])
    await schema
      .createIndex(`invites_by_${columns.join('_')}`)
      .on('invites')
      .columns(columns)
      .execute();
  await schema
    .alterTable('workspaces')
    .addColumn('team_revision', sql`bigint`, (it) => it.notNull().defaultTo(0))
    .execute();
  // The name that its maker gave a token, or the program that a session belongs to.
  await schema.alterTable('access_tokens').addColumn('name', type).execute();
  await schema.alterTable('access_tokens').addColumn('used_at_ms', sql`bigint`).execute();
  await schema
    .createIndex('access_tokens_by_user_id')
    .on('access_tokens')
    .columns(['user_id', 'id'])
    .execute();
}
