import { PLAN_LIMITS, type Plan } from '../plan/plans.ts';
import { refuse } from '../refusal.ts';
import { may, type Permission, type Role } from '../workspace/permissions.ts';
import type { GroupRole } from './group-roles.ts';
import { type Invite, inviteStatus } from './invite.ts';

export interface TeamMember {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAtMs: number;
  /** The group at the sign-in provider that made the membership; undefined: a person did (decision 78, roles by groups). */
  readonly viaGroup: string | undefined;
  /** Whether the person has a second factor (decision 100, second factor). */
  readonly hasSecondFactor?: boolean;
}

/** A team at one revision. A change is decided on a revision, and stored only if that is still the newest. */
export interface Team {
  readonly workspaceId: string;
  readonly plan: Plan;
  /** Raised by each change. A member's epoch is the revision that raised it (decision 44, sign-in). */
  readonly revision: number;
  /** Includes the owner. */
  readonly members: readonly TeamMember[];
  /** All invitations in the state `pending`, including expired ones. */
  readonly invites: readonly Invite[];
  readonly groupRoles: readonly GroupRole[];
  /** The newest offer of the ownership, which may have expired. */
  readonly offer: OwnershipOffer | undefined;
}

/** The owner offers the workspace to a member (decision 95, one owner). Times are epoch milliseconds. */
export interface OwnershipOffer {
  readonly userId: string;
  readonly offeredAtMs: number;
  readonly expiresAtMs: number;
}

/** The member who requests a change. Refuses a role that does not allow the change, and a user who is no longer a member. */
export function actingMember(team: Team, userId: string, permission: Permission): TeamMember {
  const member = team.members.find((one) => one.userId === userId);
  if (member === undefined) throw refuse('unauthorized', 'you are not a member of this team any more');
  if (!may(member.role, permission))
    throw refuse('forbidden', `your role "${member.role}" does not allow this`);
  return member;
}

/** The member whom a change is about. The owner cannot be changed (reference 2.6). */
export function changeableMember(team: Team, userId: string): TeamMember {
  const member = team.members.find((one) => one.userId === userId);
  if (member === undefined) throw refuse('not_found', 'there is no such member');
  if (member.role === 'owner')
    throw refuse('forbidden', 'the owner cannot be removed, leave or get another role');
  return member;
}

/** Members and valid invitations hold a seat (decision 46, plans and quotas). */
export function seatsUsed({ members, invites }: Team, nowMs: number): number {
  return members.length + invites.filter((invite) => inviteStatus(invite, nowMs) === 'pending').length;
}

/** Refuses if no seat is free beside the `used` ones. */
export function refuseWithoutSeat({ plan }: Team, used: number): void {
  const { seats: limit } = PLAN_LIMITS[plan];
  if (limit === undefined || used < limit) return;
  const seats = limit === 1 ? '1 seat' : `${limit} seats`;
  const message = `the plan "${plan}" has ${seats}, and ${used} of them are taken, pending invitations included`;
  throw refuse('seat_limit_reached', message, { used, limit });
}
