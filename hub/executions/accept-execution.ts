import { rejectedBecause } from '@svc/core/execution/outcome';
import { aboutExecution, refuse } from '@svc/core/refusal';
import { isMaybeStored, isUnavailable, untilAnswered } from '../platform/until-answered.ts';
import type { Clock } from '../platform/world.ts';
import type {
  Acceptance,
  CallRequest,
  ExecutionLedger,
  IdempotencyClaim,
  NewExecution,
  QuotaClaim,
} from './execution-ports.ts';
import { quotaClaim, quotaExceeded } from './quota-claim.ts';

export type AcceptDeps = {
  readonly ledger: Pick<ExecutionLedger, 'accept' | 'find' | 'finish' | 'finishQueued'>;
  readonly clock: Clock;
} & {
  readonly reportBug: (error: unknown) => unknown;
};

const IN_DOUBT = rejectedBecause(
  'hub_restart',
  'unavailable',
  'the store did not say whether the call was accepted',
);

/**
 * Stores a call, and asks a store that lost the answer once more: the same call counts once. A caller that is refused without an
 * execution id can rely on nothing running (decision 14, nothing runs before its record).
 *
 * @throws `unavailable`; with an `execution_id` the call may be stored all the same: then this hub rejects it unless another hub has
 *   begun it (decision 119, calls in doubt)
 */
export async function acceptExecution(
  deps: AcceptDeps,
  execution: NewExecution,
  quota: QuotaClaim,
  idempotency: IdempotencyClaim | undefined,
): Promise<Acceptance> {
  try {
    return await deps.ledger.accept(execution, quota, idempotency);
  } catch (error) {
    if (!isMaybeStored(error)) throw error;
    return await retryAccept(deps, execution, quota, idempotency).catch((again: unknown) => {
      disown(deps, execution, quota).catch(deps.reportBug);
      throw aboutExecution(execution.id, inDoubt(again));
    });
  }
}

async function retryAccept(
  deps: AcceptDeps,
  execution: NewExecution,
  quota: QuotaClaim,
  idempotency: IdempotencyClaim | undefined,
): Promise<Acceptance> {
  const accepted = await deps.ledger.accept(execution, quota, idempotency);
  return accepted.kind === 'stored' && (await isOwn(deps, execution)) ? { kind: 'stored' } : accepted;
}

/** The hub that forwarded the call may have stored it as refused, because it had no answer in time. */
async function isOwn({ ledger }: AcceptDeps, { id, hubId, state }: NewExecution): Promise<boolean> {
  const found = await ledger.find(id);
  return found?.hubId === hubId && found.state === state;
}

function inDoubt(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  const message = `whether the call was accepted is not known, and its record will say: ${error.message}`;
  return refuse(error.code, message, error.details);
}

/**
 * Rejects the call as soon as the store answers, unless another hub has begun it or has taken it over meanwhile. The row of its id
 * keeps out a late write whose answer was lost.
 */
async function disown(
  { ledger, clock }: AcceptDeps,
  execution: NewExecution,
  quota: QuotaClaim,
): Promise<void> {
  const { id: executionId, hubId: ifOfHub, state } = execution;
  const row = { ...execution, state: 'rejected', reason: IN_DOUBT.reason, sealedArgs: undefined } as const;
  const finish = { ...IN_DOUBT, executionId, endedAtMs: clock.nowMs(), ifOfHub };
  await untilAnswered(clock, () => ledger.accept(row));
  await untilAnswered(clock, () =>
    // A queued call that has moved to another hub has not begun, so it is rejected there.
    state === 'queued' ? ledger.finishQueued(finish, quota) : ledger.finish(finish, [], quota),
  );
}

/** The call is stored, or its idempotency key was used before. */
export type AcceptedCall = Extract<Acceptance, { kind: 'stored' | 'repeated' }>;

/**
 * Stores a call that takes one unit of the monthly quota, and nothing of the hosted runner yet.
 *
 * @throws `quota_exceeded`, `unavailable`
 */
export async function acceptCall(
  deps: AcceptDeps,
  { workspace }: CallRequest,
  execution: NewExecution,
  idempotency: IdempotencyClaim | undefined,
): Promise<AcceptedCall> {
  const quota = quotaClaim(workspace, execution.createdAtMs);
  const accepted = await acceptExecution(deps, execution, quota, idempotency);
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
