import type { Kysely } from 'kysely';

/** Since when an AI agent has a key or an access token (decision 75, approval of calls of agents). */
export async function agentCredentials({ schema }: Kysely<unknown>): Promise<void> {
  for (const table of ['api_keys', 'access_tokens'])
    await schema.alterTable(table).addColumn('agent_since_ms', 'bigint').execute();
}
