import { PLAN_LIMITS, type Plan } from '../plan/plans.ts';
import { refuse } from '../refusal.ts';
import { may, type Permission, type Role } from '../workspace/permissions.ts';
import { type Invite, inviteStatus } from './invite.ts';

export interface TeamMember {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly joinedAtMs: number;
}

/** A team as it was at one revision: every change is decided on one, and stored only if it is still the newest. */
export interface Team {
  readonly workspaceId: string;
  readonly plan: Plan;
  /** Raised by each change; a member's epoch is the revision that raised it (decision 44). */
  readonly revision: number;
  /** The owner is one of them. */
  readonly members: readonly TeamMember[];
  /** All that are `pending`, those whose time is over included. */
  readonly invites: readonly Invite[];
}

/**
 * The member who wants a change. Refuses when their role does not allow it, or when they are no member any more: somebody else
 * may have been faster.
 */
export function actingMember(team: Team, userId: string, permission: Permission): TeamMember {
  const member = team.members.find((one) => one.userId === userId);
  if (member === undefined) throw refuse('unauthorized', 'you are not a member of this team any more');
  if (!may(member.role, permission))
    throw refuse('forbidden', `your role "${member.role}" does not allow this`);
  return member;
}

/** The member whom a change is about; the owner stays what they are (reference 2.6). */
export function changeableMember(team: Team, userId: string): TeamMember {
  const member = team.members.find((one) => one.userId === userId);
  if (member === undefined) throw refuse('not_found', 'there is no such member');
  if (member.role === 'owner')
    throw refuse('forbidden', 'the owner cannot be removed, leave or get another role');
  return member;
}

/** Members, and invitations that can still be accepted, hold a seat (decision 46). */
export function seatsUsed({ members, invites }: Team, nowMs: number): number {
  return members.length + invites.filter((invite) => inviteStatus(invite, nowMs) === 'pending').length;
}

/** Refuses unless one more seat than `used` is there. */
export function refuseWithoutSeat({ plan }: Team, used: number): void {
  const { seats: limit } = PLAN_LIMITS[plan];
  if (limit === undefined || used < limit) return;
  const seats = limit === 1 ? '1 seat' : `${limit} seats`;
  const message = `the plan "${plan}" has ${seats}, and ${used} of them are taken, pending invitations included`;
  throw refuse('seat_limit_reached', message, { used, limit });
}
