import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/**
 * The last migration that the program of a hub knows (decision 108, hubs of an earlier version). It counts for the heartbeat that it was
 * written with: a hub of an earlier version writes only the heartbeat.
 */
export async function schemaOfHubs({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('hubs').addColumn('knows_schema', text).execute();
  await schema.alterTable('hubs').addColumn('knows_at_ms', 'bigint').execute();
}
