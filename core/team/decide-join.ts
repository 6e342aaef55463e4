import { refuse } from '../refusal.ts';
import { canInvite, type Invite, inviteStatus, isSameAddress } from './invite.ts';
import { refuseWithoutSeat, seatsUsed, type Team } from './team.ts';

/** Refuses an invitation that can no longer be accepted, and says why (reference 7). */
export function refuseClosedInvite(invite: Invite, nowMs: number): void {
  switch (inviteStatus(invite, nowMs)) {
    case 'accepted':
      throw refuse(
        'link_used',
        `this invitation was accepted by ${invite.email} at ${iso(invite.closedAtMs)}`,
      );
    case 'withdrawn':
      throw refuse('link_withdrawn', `this invitation was withdrawn at ${iso(invite.closedAtMs)}`);
    case 'expired':
      throw refuse(
        'link_expired',
        `this invitation was open until ${iso(invite.expiresAtMs)}; ask for another`,
      );
    case 'pending':
      return;
  }
}

/**
 * The invitation, accepted by this user, who takes over its seat if the plan still has it (decision 46, plans and quotas).
 *
 * @param seen the link's version of the invitation, which may have been sent again since
 */
export function decideJoin(
  team: Team,
  seen: Pick<Invite, 'id' | 'generation'>,
  user: { readonly id: string; readonly email: string },
  nowMs: number,
): Invite {
  const invite = team.invites.find(({ id }) => id === seen.id);
  if (invite === undefined || !canInvite('accept', invite))
    throw refuse('link_used', 'this invitation was answered just now');
  refuseClosedInvite(invite, nowMs);
  if (invite.generation !== seen.generation)
    throw refuse('link_expired', 'this invitation was sent again: the link in the newest mail works');
  if (!isSameAddress(invite.email, user.email))
    throw refuse(
      'forbidden',
      `this invitation is for ${invite.email}, and you are signed in as ${user.email}`,
    );
  if (team.members.some(({ userId }) => userId === user.id))
    throw refuse('already_member', 'you are a member of this team already');
  refuseWithoutSeat(team, seatsUsed(team, nowMs) - 1);
  return { ...invite, state: 'accepted', closedAtMs: nowMs };
}

function iso(atMs: number | undefined): string {
  return new Date(atMs ?? 0).toISOString();
}
