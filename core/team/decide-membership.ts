import type { AssignableRole } from './invite.ts';
import { actingMember, changeableMember, type Team, type TeamMember } from './team.ts';

/** The member with the new role, and whether the role changed. */
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

/** Whom a member may remove from the team. */
export function decideRemoval(team: Team, actorId: string, memberId: string): TeamMember {
  actingMember(team, actorId, 'member.remove');
  return changeableMember(team, memberId);
}

/** Every member except the owner may leave. */
export function decideLeaving(team: Team, userId: string): TeamMember {
  actingMember(team, userId, 'endpoint.view');
  return changeableMember(team, userId);
}
