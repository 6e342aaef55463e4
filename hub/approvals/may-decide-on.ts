import { isPending } from '@svc/core/approval/approval';
import { type MayDecide, mayDecide } from '@svc/core/approval/may-decide';
import type { Member } from '../accounts/account-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { Clock } from '../platform/world.ts';
import type { ApprovalPorts } from './approval-ports.ts';
import type { PendingCallRecord } from './pending-call.ts';

type MayPorts = {
  readonly endpoints: Endpoints;
  readonly ledger: ExecutionLedger;
  readonly clock: Clock;
} & ApprovalPorts;

/** What waits in a workspace, and what of it somebody may decide on. */
export interface Waiting {
  readonly pending: number;
  readonly mine: number;
}

/** Counted no further: nobody decides on more in a day. */
const MOST_WAITING = 100;

/** Whether a member may decide on a call that waits, by the rules of its endpoint as it is now (decision 36). */
export async function mayDecideOn(
  { endpoints }: { readonly endpoints: Endpoints },
  { approval, execution }: Pick<PendingCallRecord, 'approval' | 'execution'>,
  { userId: id, email, role }: Member,
): Promise<MayDecide> {
  const rules = (await endpoints.byId(execution.endpointId))?.endpoint ?? { allowSelf: true };
  return mayDecide(rules, approval.requesterId, { kind: 'member', id, email, role });
}

export async function countWaiting(ports: MayPorts, member: Member): Promise<Waiting> {
  const { approvals, ledger, clock } = ports;
  const { workspaceId } = member;
  const { items } = await approvals.list({ workspaceId, states: ['pending'], limit: MOST_WAITING });
  const pending = items.filter((approval) => isPending(approval, clock.nowMs()));
  const answers = await Promise.all(
    pending.map(async (approval) => {
      const execution = await ledger.find(approval.executionId);
      return execution && (await mayDecideOn(ports, { approval, execution }, member));
    }),
  );
  return { pending: pending.length, mine: answers.filter((answer) => answer === 'yes').length };
}
