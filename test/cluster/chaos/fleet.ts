import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJournal } from '@svc/agent/link/fixtures/read-journal';
import type { FirstRunSetup } from '@svc/hub/build/first-run';
import { readHubConfig } from '@svc/hub/config';
import { startHub } from '@svc/hub/main';
import { freePort } from '../../free-port.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { Balancer } from './balancer.ts';
import { type AgentCounts, makeAgents } from './crew.ts';
import { chainDefinition } from './endpoints.ts';
import { environment, type Mortal, MortalProcess } from './mortal.ts';
import type { Seeded } from './seeded.ts';
import { type Servers, startServers } from './servers.ts';

export interface FleetOptions extends AgentCounts {
  readonly hubs: number;
  /** Where the sources of the first, the second… hub are; those of the others are these. */
  readonly hubRoots?: readonly string[];
  /** SQLite is for one hub. */
  readonly store: 'sqlite' | 'postgres';
  /** How much faster time passes for the hubs. */
  readonly times: number;
  readonly lifetimeSec: number;
  readonly seeded: Seeded;
}

/** Hubs, agents, a database and a broker, each a process that may be killed. */
export interface Fleet extends AsyncDisposable {
  readonly folder: string;
  readonly start: FirstRunSetup;
  readonly hubs: readonly MortalProcess[];
  /** Where each hub listens, whether it lives or not. */
  readonly urls: readonly string[];
  /** The URL that agents connect to. */
  readonly balancer: Balancer;
  /** Everything that may be killed. */
  readonly mortals: readonly Mortal[];
  readonly ledger: { readonly databaseUrl: string } | { readonly file: string };
  readonly agentCount: number;
  /** The ids of all commands that ran, as they left them. */
  ran(): string[];
  /** How many executions the journals of agents still hold. */
  journaled(): number;
  /** What hubs and agents complained of, but for the store that was away. */
  complaints(): string;
}

const ROOT = join(import.meta.dir, '../../..');
/** The interval between two polls of the hubs' background work. */
const POLL_MS = 50;

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const stack = new AsyncDisposableStack();
  try {
    return await build(options, stack);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function build(options: FleetOptions, stack: AsyncDisposableStack): Promise<Fleet> {
  const folder = stack.use(await temporaryFolder()).path;
  const path = (...names: string[]) => join(folder, ...names);
  for (const name of ['logs', 'hub-0', 'agents']) mkdirSync(path(name));
  const servers = options.store === 'postgres' ? await startServers(options, stack) : undefined;
  const start = await makeWorkspace(
    { ...seedEnvironment(servers?.env), SVC_DATA_DIR: path('hub-0') },
    options.pools,
  );
  const ports = await Promise.all(Array.from({ length: options.hubs }, freePort));
  const clock = [options.times, Date.now(), Date.now()].map(String);
  const hubs = ports.map((port, index) => {
    const root = options.hubRoots?.[index] ?? ROOT;
    return hubProcess({ folder, root, clock, servers }, index, port);
  });
  for (const hub of hubs) stack.use(hub);
  await Promise.all(hubs.map((hub) => hub.start()));
  const balancer = stack.use(await Balancer.before(ports));
  const agents = await makeAgents(options, {
    folder,
    env: environment({ SVC_BASE_URL: balancer.url, SVC_TOKEN: start.agentToken }),
  });
  for (const agent of agents.processes) stack.use(agent);
  await Promise.all(agents.processes.map((agent) => agent.start()));
  const fleet = {
    folder,
    start,
    hubs,
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
    balancer,
    mortals: [...hubs, ...agents.processes, ...(servers?.mortals ?? [])],
    ledger: servers ? { databaseUrl: servers.env.DATABASE_URL } : { file: path('hub-0', 'svc.db') },
    agentCount: agents.folders.length,
    ran: () => readFileSync(path('ran'), 'utf8').split('\n').filter(Boolean),
    journaled: () => agents.folders.reduce((sum, one) => sum + journaledIn(join(one, 'state')), 0),
    complaints: () => complaintsIn(path('logs')),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
  await untilComplete(fleet, options);
  return fleet;
}

interface HubPlace {
  readonly folder: string;
  /** Of its sources. */
  readonly root: string;
  /** What its clock shows, as `fast-hub.ts` reads it. */
  readonly clock: readonly string[];
  readonly servers: Servers | undefined;
}

function hubProcess({ folder, root, clock, servers }: HubPlace, index: number, port: number): MortalProcess {
  const dataDir = join(folder, `hub-${index}`);
  mkdirSync(dataDir, { recursive: true });
  return new MortalProcess({
    name: `hub ${index}`,
    kind: 'hub',
    command: () => [process.execPath, join(root, 'test/cluster/chaos/fast-hub.ts'), ...clock],
    env: environment({
      ...servers?.env,
      SVC_DATA_DIR: dataDir,
      SVC_PORT: String(port),
      SVC_RATE_LIMITS: 'off',
      SVC_LOG_LEVEL: 'error',
    }),
    ready: /^http/,
    logPath: join(folder, 'logs', `hub-${index}.log`),
  });
}

/** It needs no bus. */
function seedEnvironment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { NATS_URL: _, ...rest } = env;
  return rest;
}

/** The account, its key and token, made by a hub that then stops cleanly. All pools have one token. */
async function makeWorkspace(env: Readonly<Record<string, string>>, pools: number) {
  const config = readHubConfig({ ...env, SVC_PORT: '0', SVC_LOG_LEVEL: 'silent' });
  const hub = await startHub({ config, version: '0.0.0' });
  const start = await hub.firstRun();
  // All agents share one token, so it is made for the names of all pools.
  const names = Array.from({ length: pools }, (_, index) => `pool-${index}`);
  const made = await fetch(`${hub.hubUrl}/agent-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${start.accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'fleet', agent_names: names, pool: true }),
  });
  const { token: agentToken } = (await made.json()) as { token: string };
  await hub.stop({ graceMs: 0 });
  return { ...start, agentToken };
}

/** Once every agent of `count` is here, and with them the endpoints that a pipeline may name. */
async function untilComplete(fleet: Fleet, { pools }: FleetOptions): Promise<void> {
  while ((await connectedAgents(fleet)) < fleet.agentCount) await Bun.sleep(POLL_MS);
  const [url = ''] = fleet.urls;
  const headers = { authorization: `Bearer ${fleet.start.accessToken}`, 'content-type': 'application/json' };
  const body = JSON.stringify(chainDefinition(pools));
  const made = await fetch(`${url}/pipelines`, { method: 'POST', headers, body });
  if (made.status !== 201) throw new Error(`the pipeline: ${made.status} ${await made.text()}`);
}

/** How many agents have a connection to a hub that lives. */
export async function connectedAgents({ urls }: Pick<Fleet, 'urls'>): Promise<number> {
  const counts = urls.map(async (url) => {
    const text = await fetch(`${url}/metrics`, { keepalive: false }).then(
      (response) => response.text(),
      () => '',
    );
    return Number(/^svc_agents_connected (\d+)$/m.exec(text)?.[1] ?? 0);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

function complaintsIn(folder: string): string {
  const lines = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .map((line) => `${name}: ${line}`),
  );
  return lines.filter((line) => /\S: ./.test(line) && !line.includes('"code":"unavailable"')).join('\n');
}

function journaledIn(stateFolder: string): number {
  let count = 0;
  for (const file of new Bun.Glob('*/*/journal').scanSync({ cwd: stateFolder, onlyFiles: true }))
    count += readJournal(join(stateFolder, file)).size;
  return count;
}
