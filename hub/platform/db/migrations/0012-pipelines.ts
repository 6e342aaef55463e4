import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/**
 * Pipelines with their versions; and who has which slug, because endpoints and pipelines share one namespace (decision 2, slugs).
 */
export async function pipelines(database: Kysely<unknown>, { text, clustered }: ColumnTypes): Promise<void> {
  const { schema } = database;
  const type = text as ReturnType<typeof sql>;
  await schema
    .createTable('slugs')
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('slug', type, (it) => it.notNull())
    .addPrimaryKeyConstraint('slugs_key', ['workspace_id', 'slug'])
    .modifyEnd(clustered)
    .execute();
  await sql`insert into slugs (workspace_id, slug) select workspace_id, slug from endpoints`.execute(
    database,
  );
  await schema
    .createTable('pipelines')
    .addColumn('id', type, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('slug', type, (it) => it.notNull())
    .addColumn('source', type, (it) => it.notNull())
    .addColumn('registered_by', type)
    .addColumn('version', 'bigint', (it) => it.notNull())
    // What signs the calls of its trigger; of no version: an old one must not come back.
    .addColumn('sealed_secret', type)
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('updated_at_ms', 'bigint', (it) => it.notNull())
    .addUniqueConstraint('pipelines_slug', ['workspace_id', 'slug'])
    .addForeignKeyConstraint('pipelines_workspace', ['workspace_id'], 'workspaces', ['id'])
    .execute();
  // A version outlives its pipeline: runs point to what they ran.
  await schema
    .createTable('pipeline_versions')
    .addColumn('pipeline_id', type, (it) => it.notNull())
    .addColumn('version', 'bigint', (it) => it.notNull())
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('source', type, (it) => it.notNull())
    .addColumn('definition', type, (it) => it.notNull())
    .addColumn('created_at_ms', 'bigint', (it) => it.notNull())
    .addPrimaryKeyConstraint('pipeline_versions_key', ['pipeline_id', 'version'])
    .execute();
  await schema
    .createIndex('pipeline_versions_of_workspace')
    .on('pipeline_versions')
    .columns(['workspace_id', 'pipeline_id'])
    .execute();
}
