import type { Approval } from '@svc/core/approval/approval';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { NewExecution } from '../executions/execution-ports.ts';
import type { Requester } from '../executions/requester.ts';
import type { Random } from '../platform/world.ts';

/** The approval of an execution, before it is stored. */
export function newApproval(
  { random }: { readonly random: Random },
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
