import type { Approval } from '@svc/core/approval/approval';
import type { HeldValues } from '@svc/core/approval/shown-command';
import { LIMITS } from '@svc/core/plan/limits';
import { refuse } from '@svc/core/refusal';
import type { Accounts, Credentials } from '../accounts/account-ports.ts';
import type { EndpointCall } from '../executions/endpoint-call.ts';
import type { Acceptance, IdempotencyClaim } from '../executions/execution-ports.ts';
import { newExecution, PENDING_APPROVAL } from '../executions/new-execution.ts';
import { refuseUnknownRequester, requesterOf } from '../executions/requester.ts';
import { isMaybeStored, untilAnswered } from '../platform/until-answered.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import { pendingEvent, type TellPorts } from './approval-events.ts';
import type { NewPendingCall } from './approval-ports.ts';
import { type CancelPendingPorts, cancelPendingCall } from './close-pending.ts';
import { newApproval } from './new-approval.ts';

export type HoldForApprovalPorts = {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly hubId: string;
  readonly accounts: Accounts;
  readonly credentials: Credentials;
} & CancelPendingPorts &
  TellPorts & { readonly reportBug: (error: unknown) => unknown };

/** A call that waits for a person, or the second of two equal ones. */
export type Held =
  | { readonly kind: 'held'; readonly approval: Approval }
  | Extract<Acceptance, { kind: 'repeated' }>;

/** Everything that a call has, but for what only an answer to its caller needs. */
export type PendingCall = Omit<EndpointCall, 'workspace' | 'method' | 'idempotencyKey' | 'asynchronous'>;

/**
 * Puts a call on record as one that waits (reference 3.1): what will run is frozen by it, definition, arguments and agent
 * (decision 35). It takes nothing of the quota before it is queued.
 */
export async function holdForApproval(
  ports: HoldForApprovalPorts,
  call: PendingCall,
  idempotency?: IdempotencyClaim,
): Promise<Held> {
  await refuseTooMany(ports, call.target);
  // Its caller has been answered long before it runs.
  const execution = newExecution(ports, { ...call, asynchronous: true }, PENDING_APPROVAL);
  const requester = await requesterOf(ports, call);
  refuseUnknownRequester(call.target.endpoint, requester);
  const approval = newApproval(ports, call.target, execution, requester);
  const values = JSON.parse(execution.args) as HeldValues;
  const { endpoint } = call.target;
  const told = [pendingEvent(ports, { approval, endpoint, values, callbackUrl: undefined })];
  const accepted = await hold(ports, { execution, approval, told }, idempotency);
  if (accepted.kind === 'repeated') return accepted;
  return { kind: 'held', approval };
}

/** NOTE: Counted before it is stored: many that come at the same moment may be a few more. */
async function refuseTooMany(
  { approvals }: HoldForApprovalPorts,
  { workspaceId, endpoint }: PendingCall['target'],
): Promise<void> {
  const { pendingApprovalsPerEndpoint: limit } = LIMITS;
  if ((await approvals.pendingOf({ workspaceId, slug: endpoint.slug }, limit)) < limit) return;
  const message = `${limit} calls of "${endpoint.slug}" wait for approval already`;
  throw refuse('concurrency_limited', message, { limit });
}

/** A store that lost the answer is asked once more; a caller who is told no can rely on that nothing waits (decision 14). */
async function hold(
  ports: HoldForApprovalPorts,
  held: NewPendingCall,
  idempotency: IdempotencyClaim | undefined,
): Promise<Acceptance> {
  const { approvals, clock, reportBug } = ports;
  try {
    return await approvals.hold(held, idempotency);
  } catch (error) {
    if (!isMaybeStored(error)) throw error;
    return await approvals.hold(held, idempotency).catch((again: unknown) => {
      const by = { kind: 'hub', id: undefined, name: 'the hub, which could not say that it waits' } as const;
      const disown = async () => {
        await untilAnswered(clock, () => approvals.hold(held));
        await untilAnswered(clock, () => cancelPendingCall(ports, held.approval, by));
      };
      disown().catch(reportBug);
      throw again;
    });
  }
}
