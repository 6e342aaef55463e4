import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { AgentAddress } from './directory-ports.ts';

/** The workspace id of hosts of the hosted runner, which belong to no workspace. Real ids are UUIDs, so it cannot collide. */
export const NO_WORKSPACE = 'hosted';

export function isHost({ workspaceId }: Pick<AgentAddress, 'workspaceId'>): boolean {
  return workspaceId === NO_WORKSPACE;
}

/** Whether an endpoint runs on the hosted runner (reference 1.2). */
export function isHosted({ endpoint }: Pick<RegisteredEndpoint, 'endpoint'>): boolean {
  return endpoint.agentName === HOSTED_AGENT;
}
