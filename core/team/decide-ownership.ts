import { refuse } from '../refusal.ts';
import { may } from '../workspace/permissions.ts';
import { changeableMember, type OwnershipOffer, type Team, type TeamMember } from './team.ts';

/** How long a member can accept. */
export const OWNERSHIP_OFFER_LIFE_MS = 7 * 24 * 60 * 60 * 1000;

/** The offer that holds: its end is not reached, and it is for this membership. Undefined: there is none. */
export function openOffer(
  team: Pick<Team, 'members' | 'offer'>,
  nowMs: number,
): { readonly offer: OwnershipOffer; readonly member: TeamMember } | undefined {
  const { offer } = team;
  const member = team.members.find(({ userId }) => userId === offer?.userId);
  if (offer === undefined || member === undefined || member.role === 'owner') return undefined;
  // A person who left and came back has no offer of before.
  const isOpen = nowMs < offer.expiresAtMs && member.joinedAtMs <= offer.offeredAtMs;
  return isOpen ? { offer, member } : undefined;
}

/** The member to whom the owner offers the workspace. A new offer replaces the one before. */
export function decideOffer(team: Team, actorId: string, memberId: string): TeamMember {
  refuseOthersThanOwner(team, actorId);
  return changeableMember(team, memberId);
}

/** Owner and new owner, when the member accepts. */
export function decideAcceptance(
  team: Team,
  userId: string,
  nowMs: number,
): { readonly from: TeamMember; readonly to: TeamMember } {
  const open = openOffer(team, nowMs);
  const from = team.members.find(({ role }) => role === 'owner');
  if (open?.member.userId !== userId || from === undefined)
    throw refuse('not_found', 'the ownership of this workspace is not offered to you');
  return { from, to: open.member };
}

/** The member whose offer ends: the owner withdraws it, or the member declines. */
export function decideNoTransfer(team: Team, userId: string, nowMs: number): TeamMember {
  const open = openOffer(team, nowMs);
  const actor = team.members.find((one) => one.userId === userId);
  const isTheirs = actor?.role === 'owner' || open?.member.userId === userId;
  if (open === undefined || !isTheirs)
    throw refuse('not_found', 'there is no offer of the ownership to you or from you');
  return open.member;
}

function refuseOthersThanOwner(team: Team, userId: string): void {
  const actor = team.members.find((one) => one.userId === userId);
  if (actor === undefined || !may(actor.role, 'workspace.delete'))
    throw refuse('forbidden', 'only the owner offers the ownership');
}
