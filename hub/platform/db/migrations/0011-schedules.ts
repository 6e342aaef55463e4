import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/** Endpoints that run by themselves, when next; and of each execution the fire that it is (decision 37, schedules). */
export async function schedules(database: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const { schema } = database;
  const type = text as ReturnType<typeof sql>;
  await schema
    .createTable('schedules')
    .addColumn('endpoint_id', type, (it) => it.notNull().primaryKey())
    .addColumn('workspace_id', type, (it) => it.notNull())
    .addColumn('expression', type, (it) => it.notNull())
    .addColumn('state', type, (it) => it.notNull())
    .addColumn('registered_at_ms', 'bigint', (it) => it.notNull())
    // Null: it is paused, or never fires again.
    .addColumn('next_fire_at_ms', 'bigint')
    .execute();
  await schema
    .createIndex('schedules_of_workspace')
    .on('schedules')
    .columns(['workspace_id', 'registered_at_ms', 'endpoint_id'])
    .execute();
  await schema
    .createIndex('schedules_due')
    .on('schedules')
    .columns(['next_fire_at_ms', 'endpoint_id'])
    .where(sql<boolean>`next_fire_at_ms is not null`)
    .execute();
  await schema.alterTable('executions').addColumn('scheduled_for_ms', sql`bigint`).execute();
  // Of a record that stands for several lost fires: how many.
  await schema.alterTable('executions').addColumn('missed_fires', sql`bigint`).execute();
  // At most once, whatever restarts and however many hubs there are.
  await schema
    .createIndex('executions_fires')
    .unique()
    .on('executions')
    .columns(['endpoint_id', 'scheduled_for_ms'])
    .where(sql<boolean>`scheduled_for_ms is not null`)
    .execute();
  // What a list of schedules shows of each: the last one of either kind.
  await schema
    .createIndex('executions_fired')
    .on('executions')
    .columns(['endpoint_id', 'scheduled_for_ms'])
    .where(sql<boolean>`scheduled_for_ms is not null and state <> 'missed'`)
    .execute();
  await schema
    .createIndex('executions_missed')
    .on('executions')
    .columns(['endpoint_id', 'scheduled_for_ms'])
    .where(sql<boolean>`state = 'missed'`)
    .execute();
}
