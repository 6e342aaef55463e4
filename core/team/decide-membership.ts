import type { AssignableRole } from './invite.ts';
import { actingMember, changeableMember, type Team, type TeamMember } from './team.ts';

/** The member with this role, and whether that is another one than before. */
export function decideRole(
  team: Team,
  actorId: string,
  memberId: string,
  role: AssignableRole,
): { readonly member: TeamMember; readonly isChanged: boolean } {
  actingMember(team, actorId, 'member.change_role');
  const member = changeableMember(team, memberId);
  return { member: { ...member, role }, isChanged: member.role !== role };
}

/** Whom a member may take out of the team. */
export function decideRemoval(team: Team, actorId: string, memberId: string): TeamMember {
  actingMember(team, actorId, 'member.remove');
  return changeableMember(team, memberId);
}

/** Everybody may leave but the owner. */
export function decideLeaving(team: Team, userId: string): TeamMember {
  actingMember(team, userId, 'endpoint.view');
  return changeableMember(team, userId);
}
