import { refuse } from '../refusal.ts';
import type { AssignableRole } from './invite.ts';
import { actingMember, changeableMember, type Team, type TeamMember } from './team.ts';

/** The member with the new role, and whether the role changed. The new role makes a membership by a group one by hand. */
export function decideRole(
  team: Team,
  actorId: string,
  memberId: string,
  role: AssignableRole,
): { readonly member: TeamMember; readonly isChanged: boolean } {
  actingMember(team, actorId, 'member.change_role');
  const member = changeableMember(team, memberId);
  return { member: { ...member, role, viaGroup: undefined }, isChanged: member.role !== role };
}

/** Who may say which groups have roles: the owner, because a group may have the role of an admin. */
export function decideGroupRoles(team: Team, actorId: string): void {
  const { role } = actingMember(team, actorId, 'member.change_role');
  if (role !== 'owner') throw refuse('forbidden', 'only the owner maps groups to roles');
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
