import type { Kysely } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/**
 * Managed secrets, each sealed for its workspace and name (decision 13, managed secrets); mails, whose links are secret, sealed
 * too.
 */
export async function secrets(database: Kysely<{ mails: object }>, { text }: ColumnTypes): Promise<void> {
  const { schema } = database;
  await schema
    .createTable('secrets')
    .addColumn('workspace_id', text, (it) => it.notNull().references('workspaces.id'))
    .addColumn('name', text, (it) => it.notNull())
    .addColumn('sealed', text, (it) => it.notNull())
    .addColumn('agents', text)
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('updated_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('updated_by', text, (it) => it.notNull())
    .addPrimaryKeyConstraint('secrets_key', ['workspace_id', 'name'])
    .execute();
  // What waits unsealed cannot be sealed here, and its links are short-lived.
  await database.deleteFrom('mails').execute();
  await schema.alterTable('mails').renameColumn('body_text', 'sealed_body').execute();
  await schema.alterTable('mails').dropColumn('body_html').execute();
}
