import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/**
 * Endpoints that are made and changed through the API, keys that are rotated, agents that are remembered, workspaces that are
 * being deleted.
 */
export async function managedEndpoints(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const { schema } = database;
  const type = text as ReturnType<typeof sql>;
  // A version outlives its endpoint: it says itself whose it is, and where its definition came from.
  await schema.alterTable('endpoint_versions').addColumn('workspace_id', type).execute();
  await schema.alterTable('endpoint_versions').addColumn('source', type).execute();
  await schema.alterTable('endpoint_versions').addColumn('overrides', type).execute();
  await sql`update endpoint_versions set
    workspace_id = (select workspace_id from endpoints where endpoints.id = endpoint_versions.endpoint_id),
    source = 'config'`.execute(database);
  await index('endpoint_versions', ['workspace_id', 'endpoint_id']);
  await schema.alterTable('executions').addColumn('endpoint_version', sql`bigint`).execute();
  await schema
    .createIndex('executions_hosted')
    .on('executions')
    .columns(['workspace_id', 'id'])
    .where(sql<boolean>`agent_name = 'hosted'`)
    .execute();
  // The token before the last rotation, while it still works.
  await schema.alterTable('api_keys').addColumn('previous_hash', type).execute();
  await schema.alterTable('api_keys').addColumn('previous_last4', type).execute();
  await schema.alterTable('api_keys').addColumn('previous_until_ms', sql`bigint`).execute();
  await schema.alterTable('api_keys').addColumn('used_at_ms', sql`bigint`).execute();
  await index('api_keys', ['previous_hash']);
  // Hubs ask what was revoked of late: few of all.
  await schema
    .createIndex('agent_tokens_revoked')
    .on('agent_tokens')
    .column('revoked_at_ms')
    .where(sql<boolean>`revoked_at_ms is not null`)
    .execute();
  await agents();
  await schema.alterTable('workspaces').addColumn('deleted_at_ms', sql`bigint`).execute();
  await schema
    .createIndex('workspaces_deleted')
    .on('workspaces')
    .column('id')
    .where(sql<boolean>`deleted_at_ms is not null`)
    .execute();

  async function agents(): Promise<void> {
    await schema
      .createTable('agents')
      .addColumn('workspace_id', type, (it) => it.notNull())
      .addColumn('name', type, (it) => it.notNull())
      .addColumn('instance', type, (it) => it.notNull())
      .addColumn('version', type, (it) => it.notNull())
      .addColumn('hostname', type, (it) => it.notNull())
      .addColumn('os', type, (it) => it.notNull())
      .addColumn('arch', type, (it) => it.notNull())
      .addColumn('local_only', 'bigint', (it) => it.notNull())
      // The hub that it is connected to; null: none.
      .addColumn('hub_id', type)
      .addColumn('connected_at_ms', 'bigint', (it) => it.notNull())
      .addColumn('seen_at_ms', 'bigint', (it) => it.notNull())
      .addPrimaryKeyConstraint('agents_key', ['workspace_id', 'name', 'instance'])
      .addForeignKeyConstraint('agents_workspace', ['workspace_id'], 'workspaces', ['id'])
      .execute();
    await index('agents', ['hub_id']);
  }

  async function index(on: string, columns: readonly string[]): Promise<void> {
    await schema
      .createIndex(`${on}_by_${columns.join('_')}`)
      .on(on)
      .columns([...columns])
      .execute();
  }
}
