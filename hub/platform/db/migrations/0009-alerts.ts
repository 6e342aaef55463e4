import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/**
 * Alerts: rules, what has happened, who is to hear of it, and in which order (decision 39, alerts).
 *
 * NOTE: No foreign keys: what is on its way outlives its rule and its endpoint, and finds out.
 */
export async function alerts(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const { schema } = database;
  const type = text as ReturnType<typeof sql>;
  const bigint = sql`bigint`;
  await rules();
  await events();
  await deliveries();
  await lanes();
  await presences();
  await schema
    .createTable('quota_marks')
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('period', type, (it) => it.notNull())
    .addColumn('percent', bigint, (it) => it.notNull())
    .addPrimaryKeyConstraint('quota_marks_key', ['workspace_id', 'period', 'percent'])
    .execute();
  await schema.createIndex('quota_by_period').on('quota').column('period').execute();

  async function rules(): Promise<void> {
    await schema
      .createTable('alert_rules')
      .addColumn('id', type, (it) => it.notNull().primaryKey())
      .addColumn('workspace_id', type, (it) => it.notNull())
      .addColumn('name', type, (it) => it.notNull())
      // JSON array of names.
      .addColumn('events', type, (it) => it.notNull())
      .addColumn('slug', type)
      .addColumn('agent_name', type)
      .addColumn('channel', type, (it) => it.notNull())
      .addColumn('sealed_target', type, (it) => it.notNull())
      .addColumn('shown_target', type, (it) => it.notNull())
      .addColumn('sealed_secret', type)
      .addColumn('previous_secret', type)
      .addColumn('previous_until_ms', bigint)
      .addColumn('enabled', bigint, (it) => it.notNull())
      .addColumn('created_by', type, (it) => it.notNull())
      .addColumn('created_at_ms', bigint, (it) => it.notNull())
      .addColumn('revision', bigint, (it) => it.notNull())
      .execute();
    await index('alert_rules', ['workspace_id', 'id']);
    await schema
      .createTable('callback_secrets')
      .addColumn('workspace_id', type, (it) => it.notNull().primaryKey())
      .addColumn('sealed_secret', type, (it) => it.notNull())
      .addColumn('previous_secret', type)
      .addColumn('previous_until_ms', bigint)
      .execute();
  }

  async function events(): Promise<void> {
    await schema
      .createTable('alert_events')
      .addColumn('id', type, (it) => it.notNull().primaryKey())
      .addColumn('workspace_id', type, (it) => it.notNull())
      .addColumn('name', type, (it) => it.notNull())
      .addColumn('at_ms', bigint, (it) => it.notNull())
      .addColumn('slug', type)
      .addColumn('agent_name', type)
      .addColumn('data', type, (it) => it.notNull())
      .addColumn('sealed_link', type)
      .addColumn('callback_url', type)
      .execute();
  }

  async function deliveries(): Promise<void> {
    await schema
      .createTable('alert_deliveries')
      .addColumn('id', type, (it) => it.notNull().primaryKey())
      .addColumn('workspace_id', type, (it) => it.notNull())
      .addColumn('rule_id', type)
      .addColumn('lane', type, (it) => it.notNull())
      .addColumn('party', type, (it) => it.notNull())
      .addColumn('event_id', type, (it) => it.notNull())
      .addColumn('event_name', type, (it) => it.notNull())
      .addColumn('event_at_ms', bigint, (it) => it.notNull())
      .addColumn('slug', type)
      .addColumn('agent_name', type)
      .addColumn('data', type, (it) => it.notNull())
      .addColumn('sealed_link', type)
      .addColumn('callback_url', type)
      // `mailed`: the row of `mails` under the same id says how it goes on.
      .addColumn('state', type, (it) => it.notNull())
      .addColumn('tries', bigint, (it) => it.notNull())
      .addColumn('created_at_ms', bigint, (it) => it.notNull())
      .addColumn('tried_at_ms', bigint)
      .addColumn('next_at_ms', bigint)
      .addColumn('response_status', bigint)
      .addColumn('error', type)
      .execute();
    await index('alert_deliveries', ['workspace_id', 'rule_id', 'event_id']);
    await index('alert_deliveries', ['created_at_ms']);
    await schema
      .createIndex('alert_deliveries_waiting')
      .on('alert_deliveries')
      .columns(['lane', 'event_id'])
      .where(sql<boolean>`state = 'waiting'`)
      .execute();
  }

  async function lanes(): Promise<void> {
    await schema
      .createTable('alert_lanes')
      .addColumn('id', type, (it) => it.notNull().primaryKey())
      .addColumn('party', type, (it) => it.notNull())
      .addColumn('waiting', bigint, (it) => it.notNull())
      // When its first one is tried, or the claim of a hub is over; null: nothing waits.
      .addColumn('due_at_ms', bigint)
      .execute();
    await schema
      .createIndex('alert_lanes_due')
      .on('alert_lanes')
      .column('due_at_ms')
      .where(sql<boolean>`due_at_ms is not null`)
      .execute();
  }

  async function presences(): Promise<void> {
    await schema
      .createTable('agent_presences')
      .addColumn('workspace_id', type, (it) => it.notNull())
      .addColumn('agent_name', type, (it) => it.notNull())
      .addColumn('state', type, (it) => it.notNull())
      // JSON array of {instance, hubId}.
      .addColumn('processes', type, (it) => it.notNull())
      .addColumn('since_ms', bigint, (it) => it.notNull())
      .addColumn('revision', bigint, (it) => it.notNull())
      .addPrimaryKeyConstraint('agent_presences_key', ['workspace_id', 'agent_name'])
      .execute();
    await index('agent_presences', ['state', 'since_ms']);
  }

  async function index(on: string, columns: readonly string[]): Promise<void> {
    await schema
      .createIndex(`${on}_by_${columns.join('_')}`)
      .on(on)
      .columns([...columns])
      .execute();
  }
}
