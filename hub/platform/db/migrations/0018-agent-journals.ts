import type { Kysely } from 'kysely';
import { sql } from 'kysely';

/** How far the journals of agents and hosts have come, and when one was found damaged (decision 61, the journal proves itself). */
export async function agentJournals({ schema }: Kysely<unknown>): Promise<void> {
  for (const table of ['agents', 'runners']) {
    await schema.alterTable(table).addColumn('journal_seq', sql`bigint`).execute();
    await schema.alterTable(table).addColumn('journal_damaged_at_ms', sql`bigint`).execute();
  }
}
