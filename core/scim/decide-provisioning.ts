import { refuse } from '../refusal.ts';
import { type GroupRole, roleOfGroups } from '../team/group-roles.ts';
import type { AssignableRole } from '../team/invite.ts';
import { refuseWithoutSeat, seatsUsed, type Team, type TeamMember } from '../team/team.ts';

/** What the provider says about a person, for their membership. */
interface Provisioned {
  readonly isActive: boolean;
  /** The account; undefined: the person has none yet. */
  readonly account: { readonly id: string; readonly email: string } | undefined;
  /** The names of their groups. */
  readonly groups: readonly string[];
  /** The group that gave the present role; undefined: none did. */
  readonly roleGroup: string | undefined;
  /** The role of people in no group with a role. */
  readonly defaultRole: AssignableRole;
}

export type ProvisioningDecision =
  | { readonly kind: 'none' }
  | { readonly kind: 'joins'; readonly role: AssignableRole; readonly group: string | undefined }
  | {
      readonly kind: 'has_role';
      readonly member: TeamMember;
      readonly role: AssignableRole;
      readonly group: string | undefined;
      /** False: only the group or the origin of the membership is another one. */
      readonly isChanged: boolean;
    }
  | { readonly kind: 'leaves'; readonly member: TeamMember };

const NONE: ProvisioningDecision = { kind: 'none' };

/**
 * What a provider means for a membership (decision 91, provisioning by SCIM). The owner stays the owner: a provider that would take
 * them out is refused. A role that a person gave stays until a group gives one.
 */
export function decideProvisioning(team: Team, person: Provisioned, nowMs: number): ProvisioningDecision {
  const { account, isActive, defaultRole, roleGroup } = person;
  const member = team.members.find(({ userId }) => userId === account?.id);
  if (!isActive) return member === undefined ? NONE : leaving(member);
  if (member?.role === 'owner') return NONE;
  const rule = ruleOf(team.groupRoles, person);
  if (member === undefined) {
    refuseWithoutSeat(team, seatsUsed(team, nowMs));
    return { kind: 'joins', role: rule?.role ?? defaultRole, group: rule?.group };
  }
  const role = rule?.role ?? (roleGroup === undefined ? (member.role as AssignableRole) : defaultRole);
  const isChanged = role !== member.role;
  if (!isChanged && rule?.group === roleGroup && member.viaGroup === undefined) return NONE;
  return { kind: 'has_role', member, role, group: rule?.group, isChanged };
}

function leaving(member: TeamMember): ProvisioningDecision {
  if (member.role === 'owner')
    throw refuse('forbidden', 'the owner of a workspace cannot be deactivated or removed by SCIM');
  return { kind: 'leaves', member };
}

/**
 * Domains of a rule match the address of the account. It is as good as verified: only a person who proves the address enters the
 * account.
 */
function ruleOf(rules: readonly GroupRole[], { groups, account }: Provisioned): GroupRole | undefined {
  return roleOfGroups(rules, { groups, verifiedEmail: account?.email });
}
