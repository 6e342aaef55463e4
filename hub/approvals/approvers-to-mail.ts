import type { AlertEvent } from '@svc/core/alert/event';
import { mayDecide } from '@svc/core/approval/may-decide';
import type { CallLookups } from '../lookups/caches.ts';
import type { Teams } from '../teams/store/team-store.ts';
import type { ApprovalDeps } from './approval-ports.ts';

/** A member with the address for mails. */
export interface MailedMember {
  readonly userId: string;
  readonly email: string;
}

/**
 * The members who get a mail about a pending approval without an alert rule: those whom `approvers` of the endpoint names
 * and who may decide, except the requester. Without `approvers` no member is named: the caller passes the link on.
 */
export async function approversToMail(
  {
    approvals,
    lookups,
    teams,
  }: { lookups: Pick<CallLookups, 'endpoint'>; teams: Pick<Teams, 'load'> } & {
    approvals: Pick<ApprovalDeps['approvals'], 'find'>;
  },
  { name, workspaceId, data, slug }: AlertEvent,
): Promise<readonly MailedMember[]> {
  if (name !== 'approval.pending' || slug === undefined) return [];
  const rules = (await lookups.endpoint(workspaceId, slug))?.endpoint;
  if (rules?.approvers === undefined) return [];
  const approval = await approvals.find(String(data.approval_id));
  const team = await teams.load(workspaceId);
  if (approval === undefined || team === undefined) return [];
  const { requesterId } = approval;
  return team.members.filter(
    ({ userId: id, email, role }) =>
      id !== requesterId && mayDecide(rules, requesterId, { kind: 'member', id, email, role }) === 'yes',
  );
}
