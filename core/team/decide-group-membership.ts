import { type GroupRole, type PersonInGroups, roleOfGroups } from './group-roles.ts';
import { refuseWithoutSeat, seatsUsed, type Team, type TeamMember } from './team.ts';

/** What a sign-in or a change of the rules does to a membership. */
export type GroupDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'joins'; readonly rule: GroupRole }
  /** `isChanged` is false when only the group is another one. */
  | {
      readonly kind: 'has_role';
      readonly member: TeamMember;
      readonly rule: GroupRole;
      readonly isChanged: boolean;
    }
  | { readonly kind: 'leaves'; readonly member: TeamMember };

const NONE: GroupDecision = { kind: 'none' };

/**
 * What the groups of a person mean for their membership (decision 78, roles by groups). A membership that was made by hand
 * stays as it is, and so does that of the owner. Refuses with `seat_limit_reached` when the person would join and no seat is free.
 */
export function decideByGroups(
  team: Team,
  userId: string,
  person: PersonInGroups,
  nowMs: number,
): GroupDecision {
  const member = team.members.find((one) => one.userId === userId);
  const rule = roleOfGroups(team.groupRoles, person);
  if (member !== undefined) return ofMember(member, rule);
  if (rule === undefined) return NONE;
  refuseWithoutSeat(team, seatsUsed(team, nowMs));
  return { kind: 'joins', rule };
}

/** What the present rules mean for a member by a group: the group may have another role by now, or none. */
export function decideByRules(team: Team, userId: string): GroupDecision {
  const member = team.members.find((one) => one.userId === userId);
  if (member === undefined) return NONE;
  return ofMember(
    member,
    team.groupRoles.find(({ group }) => group === member.viaGroup),
  );
}

function ofMember(member: TeamMember, rule: GroupRole | undefined): GroupDecision {
  if (member.viaGroup === undefined || member.role === 'owner') return NONE;
  if (rule === undefined) return { kind: 'leaves', member };
  const isChanged = member.role !== rule.role;
  if (!isChanged && member.viaGroup === rule.group) return NONE;
  return { kind: 'has_role', member: { ...member, role: rule.role, viaGroup: rule.group }, rule, isChanged };
}
