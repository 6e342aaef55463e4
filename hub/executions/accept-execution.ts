import { rejectedBecause } from '@svc/core/execution/outcome';
import { isMaybeStored, untilAnswered } from '../platform/until-answered.ts';
import type { Clock } from '../platform/world.ts';
import type {
  Acceptance,
  ExecutionLedger,
  IdempotencyClaim,
  NewExecution,
  QuotaClaim,
} from './execution-ports.ts';

export type AcceptPorts = { readonly ledger: ExecutionLedger; readonly clock: Clock } & {
  readonly reportBug: (error: unknown) => unknown;
};

const IN_DOUBT = rejectedBecause(
  'hub_restart',
  'unavailable',
  'the store did not say whether the call was accepted',
);

/**
 * Puts a call on record, and knows afterwards whether it is: a store that lost the answer is asked once more, and what it
 * was asked twice counts once. A caller who is told that it is not on record can rely on that nothing runs (decision 14).
 *
 * @throws `unavailable`; should it be on record then, it does not stay `running`
 */
export async function acceptExecution(
  ports: AcceptPorts,
  execution: NewExecution,
  quota: QuotaClaim,
  idempotency: IdempotencyClaim | undefined,
): Promise<Acceptance> {
  try {
    return await ports.ledger.accept(execution, quota, idempotency);
  } catch (error) {
    if (!isMaybeStored(error)) throw error;
    return await acceptAgain(ports, execution, quota, idempotency).catch((again: unknown) => {
      disown(ports, execution, quota).catch(ports.reportBug);
      throw again;
    });
  }
}

async function acceptAgain(
  ports: AcceptPorts,
  execution: NewExecution,
  quota: QuotaClaim,
  idempotency: IdempotencyClaim | undefined,
): Promise<Acceptance> {
  const accepted = await ports.ledger.accept(execution, quota, idempotency);
  return accepted.kind === 'stored' && (await isOwn(ports, execution)) ? { kind: 'stored' } : accepted;
}

/** The hub that gave the call to this one may have put it on record as refused, when it had no answer in time. */
async function isOwn({ ledger }: AcceptPorts, { id, hubId, state }: NewExecution): Promise<boolean> {
  const found = await ledger.find(id);
  return found?.hubId === hubId && found.state === state;
}

/**
 * As soon as the store answers, the call that it may have is `rejected`: a row of its id keeps the one whose answer was
 * lost from coming after.
 */
async function disown(
  { ledger, clock }: AcceptPorts,
  execution: NewExecution,
  quota: QuotaClaim,
): Promise<void> {
  const row = { ...execution, state: 'rejected', reason: IN_DOUBT.reason, sealedArgs: undefined } as const;
  const finish = { ...IN_DOUBT, executionId: execution.id, endedAtMs: clock.nowMs() };
  await untilAnswered(clock, () => ledger.accept(row));
  await untilAnswered(clock, () => ledger.finish(finish, [], quota));
}
