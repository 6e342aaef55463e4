import { type HubWorld, hubWorld } from './hub-world.ts';
import { startPostgres } from './postgres.ts';

export interface TwoHubs extends AsyncDisposable {
  readonly one: HubWorld;
  readonly other: HubWorld;
}

/** Two hubs with the same data, on a PostgreSQL server of their own and without a bus. */
export async function twoHubs(env: Readonly<Record<string, string>>): Promise<TwoHubs> {
  const server = await startPostgres({ syncs: false });
  const shared = { ...env, DATABASE_URL: await server.createDatabase(), SVC_MASTER_KEY: '7'.repeat(64) };
  const one = await hubWorld({ env: shared });
  const other = await hubWorld({ env: shared, index: 1 });
  return {
    one,
    other,
    async [Symbol.asyncDispose]() {
      for (const each of [other, one, server]) await each[Symbol.asyncDispose]();
    },
  };
}
