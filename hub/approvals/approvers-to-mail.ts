import type { AlertEvent } from '@svc/core/alert/event';
import { mayDecide } from '@svc/core/approval/may-decide';
import type { ExecutionLedger } from '../executions/execution-ports.ts';
import type { CallLookups } from '../lookups/caches.ts';
import type { Teams } from '../teams/store/team-store.ts';
import type { ApprovalDeps } from './approval-ports.ts';
import { type DecisionRulesDeps, decisionRules, memberDeciding } from './decision-rules.ts';

/** A member with the address for mails. */
export interface MailedMember {
  readonly userId: string;
  readonly email: string;
}

interface ApproversToMailDeps extends DecisionRulesDeps {
  readonly approvals: Pick<ApprovalDeps['approvals'], 'find'>;
  readonly ledger: Pick<ExecutionLedger, 'find'>;
  readonly lookups: Pick<CallLookups, 'endpoint' | 'rights'>;
  readonly teams: Pick<Teams, 'load'>;
}

/**
 * The members who get a mail about a pending approval without an alert rule: those whom `approvers` of the endpoint names
 * and who may decide, except the requester. The person whose agent asks gets one too: the agent made the call. Without
 * `approvers` no member is named: the caller passes the link on.
 */
export async function approversToMail(
  deps: ApproversToMailDeps,
  { name, workspaceId, data, slug }: AlertEvent,
): Promise<readonly MailedMember[]> {
  if (name !== 'approval.pending' || slug === undefined) return [];
  const { approvals, ledger, lookups, teams } = deps;
  const endpoint = (await lookups.endpoint(workspaceId, slug))?.endpoint;
  if (endpoint?.approvers === undefined) return [];
  const approval = await approvals.find(String(data.approval_id));
  const team = await teams.load(workspaceId);
  const execution = approval && (await ledger.find(approval.executionId));
  if (approval === undefined || execution === undefined || team === undefined) return [];
  const rules = await decisionRules(deps, execution, endpoint);
  const { requesterId } = approval;
  const rights = await lookups.rights(workspaceId);
  return team.members.filter((member) => {
    const mayApprove = rights
      .of({ kind: 'member', id: member.userId, role: member.role })
      ?.may('approve', slug);
    const by = memberDeciding(member, 'session', mayApprove);
    return (
      (rules.isFromAgent || member.userId !== requesterId) && mayDecide(rules, requesterId, by) === 'yes'
    );
  });
}
