import { hasRoom } from '@svc/core/execution/placement';
import { hostedTimeoutSec } from '@svc/core/plan/hosted';
import { refuse } from '@svc/core/refusal';
import { isHosted } from '../agents/host-address.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { CallRequest, IdempotencyClaim, NewExecution } from '../executions/execution-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import { newExecution, type Start } from '../executions/new-execution.ts';
import type { CommandSecrets } from '../secret-grants/order-secrets.ts';

/** A request whose values and secrets are checked, so that an execution of it can be stored. */
export interface CheckedCall extends CallRequest {
  readonly secrets: CommandSecrets;
  readonly idempotency: IdempotencyClaim | undefined;
}

/** The record of a call. On the hosted runner the plan bounds its timeout (decision 50, the queue of the hosted runner). */
export function executionOfCall(
  deps: Parameters<typeof newExecution>[0],
  call: CheckedCall,
  start: Start,
  id?: string,
): NewExecution {
  const execution = newExecution(deps, call, start, id);
  if (!isHosted(call.target)) return execution;
  return { ...execution, timeoutSec: hostedTimeoutSec(call.workspace.plan, execution.timeoutSec) };
}

/** Refuses a call whose endpoint has no free slot. Throws `concurrency_limited`. */
export function refuseWithoutRoom(
  executions: Pick<RunningExecutions, 'countOf'>,
  { id, endpoint: { slug, maxConcurrent } }: RegisteredEndpoint,
): void {
  if (hasRoom(executions.countOf(id), maxConcurrent)) return;
  const message = `"${slug}" runs ${maxConcurrent} at a time, and that many run now`;
  throw refuse('concurrency_limited', message, { limit: maxConcurrent });
}
