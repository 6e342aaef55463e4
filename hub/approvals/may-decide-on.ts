import { isPending } from '@svc/core/approval/approval';
import { type MayDecide, mayDecide, rulesFor } from '@svc/core/approval/may-decide';
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

/** How many approvals of a workspace are pending, and how many of them a member may decide on. */
export interface Waiting {
  readonly pending: number;
  readonly mine: number;
}

/** The count stops here: no person decides on more in a day. */
const MAX_COUNTED = 100;

/** Whether a member may decide on a pending call, by the present rules of its endpoint (decision 36, who may decide). */
export async function mayDecideOn(
  { endpoints }: { readonly endpoints: Endpoints },
  { approval, execution }: Pick<PendingCallRecord, 'approval' | 'execution'>,
  { userId: id, email, role }: Member,
): Promise<MayDecide> {
  const now = await endpoints.byId(execution.endpointId);
  const rules = rulesFor(execution.trigger, now?.endpoint ?? { allowSelf: true });
  return mayDecide(rules, approval.requesterId, { kind: 'member', id, email, role });
}

export async function countWaiting(ports: MayPorts, member: Member): Promise<Waiting> {
  const { approvals, ledger, clock } = ports;
  const { workspaceId } = member;
  const { items } = await approvals.list({ workspaceId, states: ['pending'], limit: MAX_COUNTED });
  const pending = items.filter((approval) => isPending(approval, clock.nowMs()));
  const answers = await Promise.all(
    pending.map(async (approval) => {
      const execution = await ledger.find(approval.executionId);
      return execution && (await mayDecideOn(ports, { approval, execution }, member));
    }),
  );
  return { pending: pending.length, mine: answers.filter((answer) => answer === 'yes').length };
}
