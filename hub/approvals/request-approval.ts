import type { Approval } from '@svc/core/approval/approval';
import type { RecordedValues } from '@svc/core/approval/shown-command';
import { LIMITS } from '@svc/core/plan/limits';
import { refuse } from '@svc/core/refusal';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { Acceptance, CallRequest, IdempotencyClaim } from '../executions/execution-ports.ts';
import { newExecution, PENDING_APPROVAL } from '../executions/new-execution.ts';
import { type Requester, refuseUnknownRequester, requesterOf } from '../executions/requester.ts';
import { isMaybeStored, untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { Kept, Spool } from '../spool/spool.ts';
import { type AlertEventDeps, pendingEvent } from './approval-events.ts';
import type { NewPendingCall } from './approval-ports.ts';
import { type CancelPendingDeps, cancelPendingCall } from './cancel-execution.ts';
import { newApproval, withFileNames } from './pending-call.ts';

export type RequestApprovalDeps = {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly hubId: string;
  readonly spool: Pick<Spool, 'keep' | 'remove'>;
  readonly accounts: Accounts;
  readonly credentials: Credentials;
} & CancelPendingDeps &
  AlertEventDeps & { readonly reportBug: (error: unknown) => unknown };

/** The call is pending, or its idempotency key was used before. */
export type RequestOutcome =
  | { readonly kind: 'pending'; readonly approval: Approval }
  | Extract<Acceptance, { kind: 'repeated' }>;

/** A call without the parts that only its response needs. */
export type PendingCall = Omit<CallRequest, 'workspace' | 'method' | 'idempotencyKey' | 'asynchronous'>;

/**
 * Stores a call as pending approval (reference 3.1). The record freezes definition, arguments and agent (decision 35, an
 * approval is frozen). The call uses its quota only when it is queued.
 */
export async function requestApproval(
  deps: RequestApprovalDeps,
  call: PendingCall,
  idempotency?: IdempotencyClaim,
): Promise<RequestOutcome> {
  await refuseTooMany(deps, call.target);
  const requester = await requesterOf(deps, call);
  refuseUnknownRequester(call.target.endpoint, requester);
  if (call.input === undefined) return await storePending(deps, call, { requester, idempotency });
  const executionId = deps.random.uuid();
  const { endpoint, workspaceId } = call.target;
  const workspace = await deps.accounts.workspaceById(workspaceId);
  if (workspace === undefined) throw refuse('not_found', 'the workspace was deleted');
  // The body is durable before the call is on record: a hub that dies now leaves a body for the sweep, and no call without one.
  const { args } = endpoint;
  const kept = await deps.spool.keep({ executionId, workspace, caller: call, args, input: call.input });
  try {
    const outcome = await storePending(deps, call, { requester, idempotency, executionId, ...kept });
    if (outcome.kind === 'repeated') await deps.spool.remove(executionId);
    return outcome;
  } catch (error) {
    // A call that is stored all the same is cancelled.
    deps.spool.remove(executionId).catch(deps.reportBug);
    throw error;
  }
}

interface Storing extends Partial<Kept> {
  readonly requester: Requester;
  readonly idempotency: IdempotencyClaim | undefined;
  readonly executionId?: string;
}

async function storePending(
  deps: RequestApprovalDeps,
  call: PendingCall,
  { requester, idempotency, executionId, kept, files }: Storing,
): Promise<RequestOutcome> {
  // The caller is answered long before the execution runs.
  const asynchronous = { ...call, kept, files, asynchronous: true };
  const execution = newExecution(deps, asynchronous, PENDING_APPROVAL, executionId);
  const approval = newApproval(deps, call.target, execution, requester);
  const values = withFileNames({ values: JSON.parse(execution.args) as RecordedValues, execution });
  const { endpoint } = call.target;
  const alerts = [pendingEvent(deps, { approval, endpoint, values, callbackUrl: undefined })];
  const accepted = await storeCall(deps, { execution, approval, alerts }, idempotency);
  if (accepted.kind === 'repeated') return accepted;
  return { kind: 'pending', approval };
}

/** NOTE: Counts before it stores, so concurrent calls may exceed the limit slightly. */
async function refuseTooMany(
  { approvals }: RequestApprovalDeps,
  { workspaceId, endpoint }: PendingCall['target'],
): Promise<void> {
  const { pendingApprovalsPerEndpoint: limit } = LIMITS;
  if ((await approvals.pendingOf({ workspaceId, slug: endpoint.slug }, limit)) < limit) return;
  const message = `${limit} calls of "${endpoint.slug}" wait for approval already`;
  throw refuse('concurrency_limited', message, { limit });
}

/**
 * Asks a store that lost the answer once more. A refused caller can rely on nothing being pending (decision 14, nothing runs before
 * its record).
 */
async function storeCall(
  deps: RequestApprovalDeps,
  call: NewPendingCall,
  idempotency: IdempotencyClaim | undefined,
): Promise<Acceptance> {
  const { approvals, clock, reportBug } = deps;
  try {
    return await approvals.addPending(call, idempotency);
  } catch (error) {
    if (!isMaybeStored(error)) throw error;
    return await approvals.addPending(call, idempotency).catch((again: unknown) => {
      const by = { kind: 'hub', id: undefined, name: 'the hub, which could not say that it waits' } as const;
      const cancelIfStored = async () => {
        await untilAnswered(clock, () => approvals.addPending(call));
        await untilAnswered(clock, () => cancelPendingCall(deps, call.approval, by));
      };
      cancelIfStored().catch(reportBug);
      throw again;
    });
  }
}
