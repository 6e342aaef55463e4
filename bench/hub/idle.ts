import { join } from 'node:path';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import type { Goal } from '../measure/comparison.ts';
import { cpuOf, cpuTime, residentMiB } from '../measure/process-use.ts';
import { type Reading, reading } from '../measure/reading.ts';
import type { Section } from '../measure/report.ts';
import { temporaryFolder } from '../measure/temporary-folder.ts';
import { type Running, startHub } from '../peers/hub.ts';
import { type Seeded, seedAccounts } from '../peers/seed.ts';
import { freePort } from '../peers/server.ts';
import { type IdleAgentOptions, type IdleCrowd, startIdleCrowd } from './idle-crowd.ts';
import type { Means } from './means.ts';

const AGENTS_OF_A_WORKSPACE = 10;
/** One address has fewer free ports than agents, once those of closed connections are kept for a minute. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'] as const;
/** Long enough for each agent to have sent a frame, and to start again with the shortest wait when it is cut off. */
const REST_MS = LINK_LIMITS.reconnectMostMs + 2_000;
/** A first connection writes endpoints; how fast that goes is not what is measured here. */
const FIRST_MS_EACH = 4;
const BACK_GOAL = { atMost: 30_000 } as const;
const MEMORY_GOAL = { atMost: 8 * 1024 } as const;

/** The cost of agents without work for a hub, and how soon they are back when it is started again. */
export async function measureIdle({ size }: Means): Promise<Section[]> {
  await using folder = await temporaryFolder();
  const dataDir = join(folder.path, 'data');
  const workspaces = Math.ceil(size.agents / AGENTS_OF_A_WORKSPACE);
  const accounts = await seedAccounts(dataDir, workspaces, AGENTS_OF_A_WORKSPACE);
  const start = { dataDir, port: freePort(), host: '0.0.0.0' };
  const agents = agentsOf(accounts, start.port).slice(0, size.agents);
  await using hub = new Restarted(await startHub(start));
  await Bun.sleep(1_000);
  const beforeMiB = residentMiB(hub.pid);
  await using crowd = startIdleCrowd({ agents, withinMs: agents.length * FIRST_MS_EACH });
  await crowd.allConnected();
  const idleMsPerSec = await restMsPerSec(hub.pid);
  const perAgent = ((residentMiB(hub.pid) - beforeMiB) * 1024 ** 2) / agents.length;
  const again = (signal: NodeJS.Signals) => restart(hub, crowd, () => startHub(start), signal);
  const terminated = await again('SIGTERM');
  await restMsPerSec(hub.pid);
  const killed = await again('SIGKILL');
  const back = (what: string, { backMs }: Return) => ({ what, figure: backMs, goal: BACK_GOAL });
  const cpu = (what: string, ms: number) => ({ what, figure: (1_000 * ms) / agents.length });
  const title = `${agents.length.toLocaleString('en')} idle agents of ${workspaces.toLocaleString('en')} workspaces on one hub`;
  return [
    section(`${title}: memory`, 'bytes', [
      { what: 'physical memory of the hub, per agent', figure: perAgent, goal: MEMORY_GOAL },
    ]),
    section(`${title}: from a signal to the hub until all have reconnected`, 'ms', [
      back('SIGTERM', terminated),
      back('SIGKILL', killed),
    ]),
    section(`${title}: processor time of the hub, per agent`, 'µs', [
      cpu('until all had reconnected after SIGTERM', terminated.cpuMs),
      cpu('until all had reconnected after SIGKILL', killed.cpuMs),
      cpu('per second without work', idleMsPerSec),
    ]),
  ];
}

function agentsOf(accounts: readonly Seeded[], port: number): IdleAgentOptions['agents'] {
  const tokens = accounts.flatMap(({ agentTokens }) =>
    agentTokens.map((token, n) => ({ token, name: `agent-${n}` })),
  );
  return tokens.map((one, n) => ({ ...one, hubUrl: `http://${ADDRESSES[n % ADDRESSES.length]}:${port}` }));
}

interface Return {
  readonly backMs: number;
  readonly cpuMs: number;
}

async function restart(
  hub: Restarted,
  crowd: IdleCrowd,
  start: () => Promise<Running>,
  signal: NodeJS.Signals,
): Promise<Return> {
  const began = performance.now();
  await hub.end(signal);
  await crowd.noneConnected();
  await hub.begin(start);
  await crowd.allConnected();
  return { backMs: performance.now() - began, cpuMs: cpuTime(hub.pid).ownMs };
}

/** A hub that is another process after each restart. */
class Restarted implements AsyncDisposable {
  #running: Running;

  constructor(running: Running) {
    this.#running = running;
  }

  get pid(): number {
    return this.#running.pid;
  }

  end(signal: NodeJS.Signals): Promise<void> {
    return this.#running.signal(signal);
  }

  async begin(start: () => Promise<Running>): Promise<void> {
    this.#running = await start();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#running[Symbol.asyncDispose]() as Promise<void>;
  }
}

/** Lets everybody be idle for a while; answers what processor time the hub takes for that, for each second. */
async function restMsPerSec(pid: number): Promise<number> {
  const { cpu } = await cpuOf(pid, () => Bun.sleep(REST_MS));
  return cpu.ownMs / (REST_MS / 1_000);
}

interface Once {
  readonly what: string;
  readonly figure: number;
  readonly goal?: Goal;
}

/** Each is measured once: a run takes a minute. */
function section(title: string, unit: string, figures: readonly Once[]): Section {
  const readings = figures.map(
    ({ what, figure, goal }): Reading => reading({ what, figures: [figure], ...(goal && { goal }) }),
  );
  const turns = figures.map(({ what, figure }) => ({ round: 1, contestant: what, figure, raw: [figure] }));
  return { title, unit, comparisons: [], readings, notMeasured: [], turns };
}
