import type { Kysely } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** The files that a command got with its call (decision 76, files of a call). */
export async function filesOfCalls({ schema }: Kysely<unknown>, { text }: ColumnTypes): Promise<void> {
  await schema.alterTable('executions').addColumn('files', text).execute();
}
