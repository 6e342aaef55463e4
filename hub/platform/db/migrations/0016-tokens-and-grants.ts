import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * Agent tokens are bound to names and to processes, and managed secrets are granted (decision 58, "Agent tokens and secret
 * grants").
 *
 * What exists at the time of the upgrade keeps working without a question: `granted_at_ms` of every secret is set to the
 * newest change of a token or an endpoint in its workspace.
 */
export async function tokensAndGrants(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const { schema } = database;
  const column = (table: string, name: string, kind: typeof text | 'bigint') =>
    schema.alterTable(table).addColumn(name, kind).execute();
  // JSON array, only where a token was made for several names; `agent_name` is null then.
  await column('agent_tokens', 'agent_names', text);
  // When its first hello bound it; null: it is not bound yet, or its names were given when it was made.
  await column('agent_tokens', 'bound_at_ms', 'bigint');
  // The process that its first hello came from.
  await column('agent_tokens', 'first_instance', text);
  // 1: every process that connects with it may have the secrets of its agent.
  await column('agent_tokens', 'is_pool', 'bigint');
  await schema
    .createTable('agent_instances')
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('instance', text, (it) => it.notNull())
    .addColumn('token_id', text, (it) => it.notNull())
    .addColumn('agent_name', text, (it) => it.notNull())
    .addColumn('hostname', text, (it) => it.notNull())
    .addColumn('is_known', 'bigint', (it) => it.notNull())
    .addColumn('first_seen_ms', 'bigint', (it) => it.notNull())
    .addPrimaryKeyConstraint('agent_instances_key', ['workspace_id', 'instance'] as never)
    .execute();
  await schema
    .createTable('secret_decisions')
    .addColumn('workspace_id', text, (it) => it.notNull())
    .addColumn('secret', text, (it) => it.notNull())
    .addColumn('kind', text, (it) => it.notNull())
    .addColumn('subject_id', text, (it) => it.notNull())
    .addColumn('state', text, (it) => it.notNull())
    .addColumn('decided_by', text, (it) => it.notNull())
    .addColumn('decided_at_ms', 'bigint', (it) => it.notNull())
    .addPrimaryKeyConstraint('secret_decisions_key', [
      'workspace_id',
      'secret',
      'kind',
      'subject_id',
    ] as never)
    .execute();
  // JSON object: since when the file has opened which secret to the public, or to the clock.
  await column('endpoints', 'secret_exposure', text);
  // The token and the process whose file had this version.
  await column('endpoint_versions', 'registered_token', text);
  await column('endpoint_versions', 'registered_instance', text);
  await column('secrets', 'granted_at_ms', 'bigint');
  for (const newest of [
    sql`updated_at_ms`,
    sql`(select max(created_at_ms) from agent_tokens where agent_tokens.workspace_id = secrets.workspace_id)`,
    sql`(select max(updated_at_ms) from endpoints where endpoints.workspace_id = secrets.workspace_id)`,
  ])
    await sql`update secrets set granted_at_ms = ${newest}
      where ${newest} > coalesce(granted_at_ms, 0)`.execute(database);
}
