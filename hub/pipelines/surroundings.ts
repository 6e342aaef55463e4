import type { StepSurroundings } from '@svc/core/pipeline/definition/check-call';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { Credentials } from '../accounts/store/credentials.ts';
import { boundAgentNames } from '../agents/admit-agent.ts';
import type { AgentDirectory } from '../agents/directory-ports.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';

/** Chosen by calls that name none: it means the only agent there is, too (decision 31). */
const DEFAULT_AGENT = 'default';

/** All endpoints and agents of a workspace: what the steps of its pipelines may use. */
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

/** Agents that are or were here, and those that a token waits for: one that is away just now is no mistake. */
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
  // One that has just come is on record a little later.
  const here = ports.agents.connected(workspaceId);
  return [
    ...new Set([DEFAULT_AGENT, HOSTED_AGENT, ...[...here, ...known].map(({ name }) => name), ...bound]),
  ];
}
