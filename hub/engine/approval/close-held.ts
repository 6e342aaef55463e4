import type { Approval, ApprovalCloser } from '@svc/core/approval/approval';
import type { ApprovalPorts } from '../ports/approvals.ts';
import type { Ports } from '../ports.ts';

/** Somebody wants the execution no more: nothing is left to decide. False when it was decided before. */
export async function cancelHeld(
  { approvals, clock }: Pick<Ports, 'clock'> & ApprovalPorts,
  approval: Approval,
  by: ApprovalCloser,
): Promise<boolean> {
  const closing = {
    state: 'expired',
    reason: 'cancelled',
    atMs: clock.nowMs(),
    by,
    comment: undefined,
  } as const;
  const end = {
    state: 'cancelled',
    reason: undefined,
    error: 'it was cancelled before anybody approved it',
    errorCode: 'cancelled',
  } as const;
  return (await approvals.close(approval, closing, end, { entry: undefined, told: [] })) === 'stored';
}
