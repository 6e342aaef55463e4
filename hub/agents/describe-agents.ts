import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import { time } from '../platform/http/time.ts';
import type { Clock } from '../platform/world.ts';
import type { KnownAgent } from './agent-ports.ts';
import type { AgentDirectory } from './directory-ports.ts';
import { shownProcess } from './shown-process.ts';
import type { KnownAgents } from './store/agent-store.ts';

export interface DescribeAgentsDeps {
  readonly agents: AgentDirectory;
  readonly clock: Clock;
  readonly endpoints: Endpoints;
  readonly hubId: string;
  readonly knownAgents: KnownAgents;
}

/** Describes every agent process of a workspace, connected or not, with its endpoints and executions (decision 47). */
export async function describeAgents(deps: DescribeAgentsDeps, workspaceId: string) {
  const { agents, knownAgents, endpoints, clock, hubId } = deps;
  const [known, running, registered] = await Promise.all([
    knownAgents.ofWorkspace(workspaceId),
    knownAgents.running(workspaceId),
    endpoints.list(workspaceId),
  ]);
  const here = new Set(agents.connected(workspaceId).map(keyOf));
  const counts = new Map(running.map((one) => [keyOf(one), one.count]));
  const nowMs = clock.nowMs();
  return known.map((agent) => {
    // The store is right about other live hubs; for this hub the registry is newer.
    const isOnline = agent.hubId === hubId ? here.has(keyOf(agent)) : agent.hubId !== undefined;
    const own = registered.filter(
      ({ source, registeredBy }) => source === 'config' && registeredBy === agent.name,
    );
    return {
      name: agent.name,
      id: shownProcess(agent.instance),
      status: isOnline ? ('online' as const) : ('offline' as const),
      version: agent.version,
      host: { hostname: agent.hostname, os: agent.os, arch: agent.arch },
      local_only: agent.isLocalOnly,
      connected_at: isOnline ? time(agent.connectedAtMs) : null,
      // The store may not have a disconnect of this moment yet.
      last_seen_at: time(agent.hubId === undefined ? agent.seenAtMs : nowMs),
      journal_damaged_at: agent.journalDamagedAtMs === undefined ? null : time(agent.journalDamagedAtMs),
      running: counts.get(keyOf(agent)) ?? 0,
      endpoints: own.map(({ endpoint: { slug } }) => slug),
    };
  });
}

function keyOf({ name, instance }: Pick<KnownAgent, 'name' | 'instance'>): string {
  return `${name} ${instance}`;
}
