import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** When the output of an execution was written (decision 106, times of lines). */
export async function lineTimes({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('executions').addColumn('line_times', text).execute();
}
