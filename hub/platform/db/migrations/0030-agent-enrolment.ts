import type { Kysely } from 'kysely';

/** Until when an enrolment token can be exchanged for the agent token of the row; null: it is an agent token (decision 80, enrolment). */
export async function agentEnrolment({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('agent_tokens').addColumn('enrol_until_ms', 'bigint').execute();
}
