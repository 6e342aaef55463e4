import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from './0001-accounts-and-executions.ts';

/**
 * Inputs of runs are sealed (decision 26, limits): those of runs that began before stay readable in `input` until they are swept.
 * And which versions run nothing any more, so that they can be swept.
 */
export async function sealedInputs({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  const type = text as ReturnType<typeof sql>;
  await schema.alterTable('pipeline_run_inputs').addColumn('sealed_input', type).execute();
  await schema.alterTable('pipeline_run_inputs').addColumn('sealed_secrets', type).execute();
  // Since when it has been seen that what they are versions of is gone.
  for (const table of ['endpoint_versions', 'pipeline_versions'])
    await schema.alterTable(table).addColumn('gone_since_ms', sql`bigint`).execute();
  // Whether a run keeps to a version: asked of each that is to go.
  await schema
    .createIndex('pipeline_runs_by_version')
    .on('pipeline_runs')
    .columns(['pipeline_id', 'pipeline_version'])
    .execute();
}
