import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Offers of the ownership of workspaces (decision 95, one owner). */
export async function ownershipOffers({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema
    .createTable('ownership_offers')
    .addColumn('workspace_id', text, (it) => it.notNull().primaryKey())
    .addColumn('user_id', text, (it) => it.notNull())
    .addColumn('offered_at_ms', 'bigint', (it) => it.notNull())
    .addColumn('expires_at_ms', 'bigint', (it) => it.notNull())
    .execute();
}
