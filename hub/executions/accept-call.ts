import { type AcceptPorts, acceptExecution } from './accept-execution.ts';
import type { CallRequest } from './call-request.ts';
import type { Acceptance, IdempotencyClaim, NewExecution } from './execution-ports.ts';
import { quotaClaim, quotaExceeded } from './quota-claim.ts';

/** The call is stored, or its idempotency key was used before. */
export type AcceptedCall = Extract<Acceptance, { kind: 'stored' | 'repeated' }>;

/**
 * Stores a call that takes one unit of the monthly quota, and nothing of the hosted runner yet.
 *
 * @throws `quota_exceeded`, `unavailable`
 */
export async function acceptCall(
  ports: AcceptPorts,
  { workspace }: CallRequest,
  execution: NewExecution,
  idempotency: IdempotencyClaim | undefined,
): Promise<AcceptedCall> {
  const quota = quotaClaim(workspace, execution.createdAtMs);
  const accepted = await acceptExecution(ports, execution, quota, idempotency);
  switch (accepted.kind) {
    case 'quota_exceeded':
      throw quotaExceeded(workspace, execution.createdAtMs);
    case 'hosted_quota_exceeded':
    case 'no_place':
      throw new Error('no place on the hosted runner was asked for');
    default:
      return accepted;
  }
}
