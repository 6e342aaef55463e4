import { type AcceptPorts, acceptExecution } from './accept-execution.ts';
import type { CallRequest } from './call-request.ts';
import type { Acceptance, IdempotencyClaim, NewExecution } from './execution-ports.ts';
import { quotaClaim, quotaExceeded } from './quota-claim.ts';

/** It is on record, or it is the second of two equal ones. */
export type AcceptedCall = Extract<Acceptance, { kind: 'stored' | 'repeated' }>;

/**
 * Puts a call on record that takes a unit of the month, and nothing of the hosted runner yet.
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
