import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The files that executions leave (decision 72, artifacts); their bytes are outside the database. */
export async function artifacts({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('artifacts')
    .addColumn('execution_id', text, (column) => column.notNull())
    .addColumn('id', 'integer', (column) => column.notNull())
    .addColumn('workspace_id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('size', sql`bigint`, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('reason', text)
    .addColumn('sha256', text)
    .addColumn('created_at_ms', sql`bigint`, (column) => column.notNull())
    .addPrimaryKeyConstraint('artifacts_key', ['execution_id', 'id'])
    .execute();
  // The sum of a workspace is read from the index alone.
  await schema
    .createIndex('artifacts_of_workspace')
    .on('artifacts')
    .columns(['workspace_id', 'size'])
    .execute();
  await schema
    .createIndex('artifacts_uploading')
    .on('artifacts')
    .column('execution_id')
    .where(sql.ref('state'), '=', sql.lit('uploading'))
    .execute();
}
