import { isPending } from '@svc/core/approval/approval';
import { accessToExecution, type Caller } from '@svc/core/execution/access';
import { refuse } from '@svc/core/refusal';
import { hashToken } from '../../engine/account/hash-token.ts';
import { awaitDecision } from '../../engine/approval/await-decision.ts';
import { decide } from '../../engine/approval/decide-approval.ts';
import {
  findHeldCall,
  type HeldCallRecord,
  heldCallOf,
  noSuchApproval,
} from '../../engine/approval/held-call.ts';
import { countWaiting, mayDecideOn } from '../../engine/approval/may-decide-on.ts';
import type { Member } from '../../engine/ports/accounts.ts';
import type { ApprovalFilter } from '../../engine/ports/approvals.ts';
import type { HubContext } from '../context.ts';
import { describeApproval } from '../execution/describe-approval.ts';
import { sourceOf } from '../routes/audit-source.ts';
import { endOfPage } from '../routes/bounded-page.ts';
import type { Handlers } from '../routes/handler.ts';

type Routes = Pick<Handlers, 'listApprovals' | 'countWaiting' | 'showApproval' | 'decideApproval'>;

/** Held calls, for the callers who wait and for the members who decide (decision 36). */
export function approvalRoutes(context: HubContext): Routes {
  return {
    countWaiting: ({ acting: { member } }) => countWaiting(context, member),
    async listApprovals({ acting: { workspace, member }, query: { limit, cursor, endpoint: slug, status } }) {
      const { items, ...end } = await context.approvals.list({
        workspaceId: workspace.id,
        limit,
        ...(slug === undefined ? {} : { slug }),
        ...(cursor === undefined ? {} : { cursor }),
        ...(status === undefined ? {} : { states: STATES[status] }),
      });
      const held = await Promise.all(items.map((approval) => heldCallOf(context, approval)));
      const there = held.filter((one) => one !== undefined);
      return {
        items: await Promise.all(there.map((one) => describeFor(context, one, member))),
        ...endOfPage(end),
      };
    },
    async showApproval({ request, caller, parameters: { id }, query: { wait, token } }) {
      const held = await visible(context, caller, id, token);
      if (wait > 0) context.keepOpen(request);
      const untilMs = context.clock.nowMs() + wait * 1000;
      const now = await awaitDecision(context, held, untilMs, request.signal);
      return describeApproval(context, now, token);
    },
    async decideApproval({ request, acting: { member, workspace }, parameters: { id }, body }) {
      const approval = await context.approvals.find(id);
      if (approval?.workspaceId !== workspace.id) throw noSuchApproval();
      await decide(context, {
        approvalId: id,
        decision: body.decision,
        comment: body.comment,
        signed: body.signed,
        by: { kind: 'member', id: member.userId, email: member.email, role: member.role },
        source: sourceOf(context, request, member),
      });
      return describeApproval(context, await findHeldCall(context, id));
    },
  };
}

/** With whether the member may decide on it, for as long as somebody may. */
async function describeFor(context: HubContext, held: HeldCallRecord, member: Member) {
  const described = describeApproval(context, held);
  if (!isPending(held.approval, context.clock.nowMs())) return described;
  const may = await mayDecideOn(context, held, member);
  // Nobody is asked to sign in who has done so.
  return { ...described, may_decide: may === 'sign_in' ? ('not_approver' as const) : may };
}

const STATES = {
  pending_approval: ['pending'],
  approved: ['approved'],
  denied: ['denied'],
  expired: ['expired'],
  decided: ['approved', 'denied', 'expired'],
} as const satisfies Record<string, NonNullable<ApprovalFilter['states']>>;

/** One code path for what is unknown and what is others' (decision 25). */
async function visible(
  context: HubContext,
  caller: Caller,
  id: string,
  readToken: string | undefined,
): Promise<HeldCallRecord> {
  const approval = await context.approvals.find(id);
  const held = approval && (await heldCallOf(context, approval));
  if (readToken !== undefined && held?.execution.readTokenHash === hashToken(readToken)) return held;
  const access = accessToExecution(caller, held?.execution);
  if (access === 'unauthorized')
    throw refuse('unauthorized', 'an API key, an access token or a read token is needed');
  if (access === 'not_found' || held === undefined) throw noSuchApproval();
  return held;
}
