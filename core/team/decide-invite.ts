import { refuse } from '../refusal.ts';
import {
  type AssignableRole,
  canInvite,
  INVITE_LIFE_MS,
  type Invite,
  inviteStatus,
  isSameAddress,
} from './invite.ts';
import { actingMember, refuseWithoutSeat, seatsUsed, type Team } from './team.ts';

export interface NewInvite {
  readonly id: string;
  readonly email: string;
  readonly role: AssignableRole;
}

/** The new invitation of a member. It needs a free seat (decision 46, plans and quotas). */
export function decideInvite(team: Team, actorId: string, wanted: NewInvite, nowMs: number): Invite {
  actingMember(team, actorId, 'member.invite');
  refuseKnownAddress(team, wanted, nowMs);
  refuseWithoutSeat(team, seatsUsed(team, nowMs));
  return {
    ...wanted,
    workspaceId: team.workspaceId,
    state: 'pending',
    generation: 0,
    invitedBy: actorId,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + INVITE_LIFE_MS,
    closedAtMs: undefined,
  };
}

/** The same invitation with a new link and a new expiry. An expired one needs a free seat again. */
export function decideResend(team: Team, actorId: string, inviteId: string, nowMs: number): Invite {
  actingMember(team, actorId, 'member.invite');
  const invite = openInvite(team, inviteId, 'resend');
  refuseKnownAddress(team, invite, nowMs);
  const isPending = inviteStatus(invite, nowMs) === 'pending';
  if (!isPending) refuseWithoutSeat(team, seatsUsed(team, nowMs));
  const expiresAtMs = nowMs + INVITE_LIFE_MS;
  return { ...invite, generation: invite.generation + 1, invitedBy: actorId, expiresAtMs };
}

export function decideWithdrawal(team: Team, actorId: string, inviteId: string, nowMs: number): Invite {
  actingMember(team, actorId, 'member.invite');
  return { ...openInvite(team, inviteId, 'withdraw'), state: 'withdrawn', closedAtMs: nowMs };
}

function openInvite(team: Team, inviteId: string, action: 'resend' | 'withdraw'): Invite {
  const invite = team.invites.find(({ id }) => id === inviteId);
  if (invite === undefined || !canInvite(action, invite))
    throw refuse('not_found', 'there is no such invitation that waits for an answer');
  return invite;
}

/** An address can have one membership or one invitation. */
function refuseKnownAddress(team: Team, { id, email }: Pick<Invite, 'id' | 'email'>, nowMs: number): void {
  if (team.members.some((member) => isSameAddress(member.email, email)))
    throw refuse('already_member', `${email} is a member of this team already`);
  const other = team.invites.find(
    (invite) =>
      invite.id !== id && isSameAddress(invite.email, email) && inviteStatus(invite, nowMs) === 'pending',
  );
  if (other === undefined) return;
  throw refuse('already_invited', `${email} has an invitation already; it can be sent again`, {
    invite_id: other.id,
  });
}
