import type { StepSurroundings } from '@svc/core/pipeline/definition/check-call';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { Credentials } from '../accounts/store/credentials.ts';
import { boundAgentNames } from '../agents/admit-agent.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';

/** The agent of endpoints that name none; it also means the only agent (decision 31). */
const DEFAULT_AGENT = 'default';

/** All endpoints and agents of a workspace, which the steps of its pipelines may use. */
export async function surroundingsOf(
  ports: {
    readonly endpoints: Endpoints;
    readonly agents: AgentDirectory;
    readonly knownAgents: KnownAgents;
    readonly credentials: Credentials;
  },
  workspaceId: string,
): Promise<StepSurroundings> {
  const [registered, agents] = await Promise.all([
    ports.endpoints.list(workspaceId),
    agentNames(ports, workspaceId),
  ]);
  return { endpoints: new Map(registered.map(({ endpoint }) => [endpoint.slug, endpoint])), agents };
}

/** Agents that are or were connected, and names bound to tokens; an offline agent is not an error. */
export async function agentNames(
  ports: {
    readonly agents: AgentDirectory;
    readonly knownAgents: KnownAgents;
    readonly credentials: Credentials;
  },
  workspaceId: string,
): Promise<string[]> {
  const [known, bound] = await Promise.all([
    ports.knownAgents.ofWorkspace(workspaceId),
    boundAgentNames(ports, workspaceId),
  ]);
  // An agent that has just connected is stored a little later.
  const here = ports.agents.connected(workspaceId);
  return [
    ...new Set([DEFAULT_AGENT, HOSTED_AGENT, ...[...here, ...known].map(({ name }) => name), ...bound]),
  ];
}
