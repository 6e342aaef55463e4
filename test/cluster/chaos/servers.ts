import { startNats } from '../../nats.ts';
import { type PostgresServer, startPostgres } from '../../postgres.ts';
import type { Mortal } from './mortal.ts';
import type { Seeded } from './seeded.ts';

/** The database and the broker of several hubs. */
export interface Servers {
  /** For each hub. */
  readonly env: { readonly DATABASE_URL: string; readonly NATS_URL: string; readonly SVC_MASTER_KEY: string };
  readonly mortals: readonly Mortal[];
}

/** NOTE: Nothing is synced: processes are killed here, and what the kernel has of their files stays. */
export async function startServers(
  { lifetimeSec, seeded }: { readonly lifetimeSec: number; readonly seeded: Seeded },
  stack: AsyncDisposableStack,
): Promise<Servers> {
  const postgres = stack.use(await startPostgres({ syncs: false, lifetimeSec }));
  const nats = stack.use(await startNats('', lifetimeSec));
  const broker: Mortal = {
    name: 'NATS',
    kind: 'broker',
    kill: () => nats.kill(),
    start: () => nats.start(),
  };
  return {
    env: {
      DATABASE_URL: await postgres.createDatabase(),
      NATS_URL: `nats://${nats.address}`,
      SVC_MASTER_KEY: '7'.repeat(64),
    },
    mortals: [broker, serverOf(postgres), processOf(postgres, seeded)],
  };
}

function serverOf(postgres: PostgresServer): Mortal {
  return {
    name: 'PostgreSQL',
    kind: 'database',
    async kill() {
      const [server] = postgres.processes();
      if (server === undefined) throw new Error('PostgreSQL does not run');
      process.kill(server, 'SIGKILL');
      await postgres.died();
    },
    start: () => postgres.start(),
  };
}

/** One of the processes that serve a connection, or work behind it: the server then ends all others, and recovers by itself. */
function processOf(postgres: PostgresServer, seeded: Seeded): Mortal {
  return {
    name: 'a process of PostgreSQL',
    kind: 'database',
    async kill() {
      const [, ...others] = postgres.processes();
      if (others.length > 0) process.kill(seeded.pick(others), 'SIGKILL');
    },
    start: () => Promise.resolve(),
  };
}
