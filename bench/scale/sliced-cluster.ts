import { NOOP_OUTPUT } from '../hub/noop.ts';
import type { Request } from '../load/load.ts';
import type { ControlGroup } from '../measure/control-group.ts';
import { expectAnswer } from '../peers/server.ts';
import { requestTo, startCluster } from './cluster.ts';

/** A cluster whose hubs have a control group each, and PostgreSQL with all its processes one. */
export interface SlicedCluster extends AsyncDisposable {
  /** To each hub for its own agent. */
  readonly requests: readonly Request[];
  readonly hubs: Slices;
  readonly postgres: Slices;
}

/** Groups of the same size. */
export interface Slices {
  readonly groups: readonly ControlGroup[];
  readonly coresEach: number;
}

/** The time that slices used together in an interval. */
export interface Taken {
  readonly cpuMs: number;
  /** At a time. */
  readonly cores: number;
  /** As a share of their limit. */
  readonly usedShare: number;
  /** The share of periods at whose end they waited for the next. */
  readonly throttledShare: number;
}

/** The slices are not limited yet: what has just started takes long to be warm. */
export async function startSlicedCluster(
  count: number,
  cores: { readonly hub: number; readonly postgres: number },
  makeGroup: () => ControlGroup,
): Promise<SlicedCluster> {
  await using parts = new AsyncDisposableStack();
  const cluster = parts.use(await startCluster(count));
  const requests = cluster.tenants.map(({ at }) => requestTo(cluster, at, at));
  for (const each of requests) await expectAnswer(each, JSON.stringify(NOOP_OUTPUT));
  const groupOf = (pids: readonly number[]) => {
    const group = parts.use(makeGroup());
    for (const pid of pids) group.take(pid);
    return group;
  };
  const hubs = cluster.hubs.map(({ pid }) => groupOf([pid]));
  const postgres = groupOf(cluster.postgres.processes().slice(0, 1));
  // Processes that the server starts from here on are in its group.
  for (const pid of cluster.postgres.processes()) postgres.take(pid);
  const held = parts.move();
  return {
    requests,
    hubs: { groups: hubs, coresEach: cores.hub },
    postgres: { groups: [postgres], coresEach: cores.postgres },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

export function limit({ groups, coresEach }: Slices): void {
  for (const group of groups) group.limit(coresEach);
}

/** From now until it is asked. */
export function taking(slices: Slices): () => Taken {
  const before = soFar(slices);
  return () => {
    const after = soFar(slices);
    const cpuMs = after.cpuMs - before.cpuMs;
    const cores = cpuMs / (after.atMs - before.atMs);
    const usedShare = cores / (slices.coresEach * slices.groups.length);
    const throttledShare = (after.throttled - before.throttled) / (after.periods - before.periods);
    return { cpuMs, cores, usedShare, throttledShare };
  };
}

function soFar({ groups }: Slices) {
  const uses = groups.map((group) => group.use());
  const sum = (of: 'cpuMs' | 'periods' | 'throttled') => uses.reduce((total, use) => total + use[of], 0);
  return {
    atMs: performance.now(),
    cpuMs: sum('cpuMs'),
    periods: sum('periods'),
    throttled: sum('throttled'),
  };
}
