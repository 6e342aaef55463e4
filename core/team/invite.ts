import type { Role } from '../workspace/permissions.ts';

/** The roles that a request may give. The owner is the user who created the account (reference 2.6). */
export const ASSIGNABLE_ROLES = ['admin', 'member', 'viewer'] as const satisfies readonly Role[];
export type AssignableRole = (typeof ASSIGNABLE_ROLES)[number];

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long the link of an invitation works after the mail (decision 47, answers of the management API). */
export const INVITE_LIFE_MS = 7 * DAY_MS;

export const INVITE_STATES = ['pending', 'accepted', 'withdrawn'] as const;
export type InviteState = (typeof INVITE_STATES)[number];

/**
 * The actions on an invitation that each state allows (reference 3.2).
 *
 *     pending ──accept───> accepted
 *      │  ^ └──withdraw──> withdrawn
 *      └──┘ resend
 */
export const INVITE_CAN = {
  resend: ['pending'],
  accept: ['pending'],
  withdraw: ['pending'],
} as const satisfies Record<string, readonly InviteState[]>;

export interface Invite {
  readonly id: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly role: AssignableRole;
  readonly state: InviteState;
  /** The number of mails. Only the link of the newest mail works (decision 34, links that act). */
  readonly generation: number;
  /** The user who sent the newest mail. */
  readonly invitedBy: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** The time when the invitation was accepted or withdrawn. */
  readonly closedAtMs: number | undefined;
}

/** The state that people see. An invitation also expires by time alone. */
export type InviteStatus = InviteState | 'expired';

export function inviteStatus({ state, expiresAtMs }: Invite, nowMs: number): InviteStatus {
  return state === 'pending' && expiresAtMs <= nowMs ? 'expired' : state;
}

export function canInvite(action: keyof typeof INVITE_CAN, { state }: Invite): boolean {
  return (INVITE_CAN[action] as readonly InviteState[]).includes(state);
}

/** Addresses that differ only in case belong to one person. */
export function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
