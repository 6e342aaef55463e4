import type { Approval } from '@svc/core/approval/approval';
import type { RegisteredEndpoint } from '../ports/endpoints.ts';
import type { NewExecution } from '../ports/executions.ts';
import type { Ports } from '../ports.ts';
import type { Requester } from './requester.ts';

/** The approval that an execution waits for, which is about to be put on record. */
export function newApproval(
  { random }: Pick<Ports, 'random'>,
  { endpoint, registeredBy }: RegisteredEndpoint,
  execution: NewExecution,
  requester: Requester,
): Approval {
  const { createdAtMs } = execution;
  return {
    id: random.uuid(),
    workspaceId: execution.workspaceId,
    executionId: execution.id,
    slug: execution.slug,
    agentName: endpoint.agentName ?? registeredBy ?? 'default',
    requestedBy: requester.name,
    requesterId: requester.userId,
    generation: 0,
    createdAtMs,
    expiresAtMs: createdAtMs + endpoint.approvalTimeoutMins * 60_000,
    closing: undefined,
  };
}
