import { join } from 'node:path';
import { openStore } from '@svc/hub/build/open-store';
import { readHubConfig } from '@svc/hub/config';
import { type NatsServer, startNats } from '../../test/nats.ts';
import { type PostgresServer, startPostgres } from '../../test/postgres.ts';
import { NOOP_SLUG, startNoopAgent } from '../hub/noop.ts';
import type { Request } from '../load/load.ts';
import { cpuTime } from '../measure/process-use.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { type Running, startHub } from '../peers/hub.ts';
import { type Seeded, seedIn } from '../peers/seed.ts';

/** A workspace with an agent that is connected to one of the hubs. */
export interface Tenant extends Seeded {
  /** At which hub its agent is. */
  readonly at: number;
}

/** Hubs on one PostgreSQL and one broker, each with an agent of a workspace of its own. */
export interface Cluster extends AsyncDisposable {
  readonly hubs: readonly Running[];
  readonly tenants: readonly Tenant[];
  readonly postgres: PostgresServer;
  readonly url: string;
  /** Processor time of the hubs so far, together. */
  hubsMs(): number;
  /** The processor time of PostgreSQL with all its processes that still live. */
  postgresMs(): number;
}

const MASTER_KEY = '7'.repeat(64);

/** PostgreSQL syncs each commit, as one in service does. */
export async function startCluster(count: number): Promise<Cluster> {
  const parts = new AsyncDisposableStack();
  try {
    const folder = parts.use(await temporaryFolder());
    const postgres: PostgresServer = parts.use(await startPostgres());
    const nats: NatsServer = parts.use(await startNats());
    const url = await postgres.createDatabase();
    const env = { DATABASE_URL: url, SVC_MASTER_KEY: MASTER_KEY, NATS_URL: `nats://${nats.address}` };
    const tenants = await tenantsOf(join(folder.path, 'seed'), env, count);
    const hubs: Running[] = [];
    for (const { at, agentTokens } of tenants) {
      const hub = parts.use(await startHub({ dataDir: join(folder.path, `hub-${at}`), env }));
      parts.use(await startNoopAgent(hub.url, agentTokens[0] ?? ''));
      hubs.push(hub);
    }
    const held = parts.move();
    const sum = (pids: readonly number[]) => pids.reduce((total, pid) => total + ownMs(pid), 0);
    return {
      hubs,
      tenants,
      postgres,
      url,
      hubsMs: () => sum(hubs.map(({ pid }) => pid)),
      postgresMs: () => sum(postgres.processes()),
      [Symbol.asyncDispose]: () => held.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** A call to one hub for the agent that is at another, or at the same. */
export function requestTo({ hubs, tenants }: Cluster, hub: number, tenant: number): Request {
  const called = tenants[tenant];
  if (called === undefined) throw new Error('there is no such workspace');
  const url = `${hubs[hub]?.url}/v1/${called.username}/${NOOP_SLUG}`;
  return { url, headers: { 'x-api-key': called.apiKey } };
}

export function nameOf(hubs: number): string {
  return hubs === 1 ? '1 hub' : `${hubs} hubs`;
}

async function tenantsOf(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  count: number,
): Promise<Tenant[]> {
  await using store = await openStore(readHubConfig({ SVC_DATA_DIR: dataDir, ...env }));
  const seeded = await seedIn(store, count, 1);
  return seeded.map((one, at) => ({ ...one, at }));
}

/** A process of PostgreSQL may have ended since it was listed. */
function ownMs(pid: number): number {
  try {
    return cpuTime(pid).ownMs;
  } catch {
    return 0;
  }
}
