import type { Plan } from '@svc/core/plan/plans';
import type { DeviceCodeState } from '@svc/core/token/device-code';
import type { Role } from '@svc/core/workspace/permissions';

// People, their credentials and what is written to them: the part of the ports that management is about. Whatever changes
// something for somebody takes the entry of the audit log that is stored with it, or neither is (decision 48).

export interface Workspace {
  readonly id: string;
  /** Undefined until its owner has chosen one (reference 1). */
  readonly username: string | undefined;
  readonly ownerId: string;
  readonly plan: Plan;
}

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly workspaceId: string;
  readonly role: Role;
  /** Raised by removal, role change and sign-out everywhere: credentials of an older epoch are dead (decision 44). */
  readonly epoch: number;
}

/** Rows of secrets that are only known by their hash: plain tokens are never stored (decision 1). */
export interface ApiKey {
  readonly id: string;
  readonly workspaceId: string;
  readonly createdBy: string;
  readonly name: string;
  readonly hash: string;
  readonly last4: string;
  /** Slugs it may call; undefined: all of the workspace. */
  readonly endpoints: readonly string[] | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
}

/** A key with what has become of it since it was made. */
export interface UsedApiKey extends ApiKey {
  /** The token before the last rotation, and until when it works. */
  readonly previousLast4: string | undefined;
  readonly previousUntilMs: number | undefined;
  /** When it was last used, to the hour. */
  readonly usedAtMs: number | undefined;
}

/** The token that a key has from now on. */
export interface RotatedKey {
  readonly hash: string;
  readonly last4: string;
  /** Until then the one before works, too. */
  readonly previousUntilMs: number;
}

export interface AgentToken {
  readonly id: string;
  readonly workspaceId: string;
  readonly createdBy: string;
  readonly name: string;
  readonly hash: string;
  readonly last4: string;
  /** The only agent names that it may use; empty: its first hello binds it to one (decision 58, agent tokens). */
  readonly agentNames: readonly string[];
  /** When its first hello bound it; undefined: it is not bound yet, or its names were given when it was made. */
  readonly boundAtMs: number | undefined;
  /** The process that its first hello came from. */
  readonly firstInstance: string | undefined;
  /** Every process that connects with it may have the secrets of its agent, not only the first. */
  readonly isPool: boolean;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | undefined;
}

/** An agent process that an agent token belongs to. */
export interface TokenBinding {
  readonly agentName: string;
  readonly instance: string;
}

/** A browser session or a `svc_pat_`; both act for one member. */
export interface AccessToken {
  readonly id: string;
  readonly kind: 'session' | 'personal';
  readonly userId: string;
  /** The workspace a `svc_pat_` is bound to; undefined for a session, which acts in one of its user's workspaces. */
  readonly workspaceId: string | undefined;
  readonly hash: string;
  readonly last4: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly epoch: number;
  /** The name that its maker gave it; of a session the program it belongs to, as that calls itself. */
  readonly name: string | undefined;
  /** When it was last seen, to the minute. */
  readonly usedAtMs: number | undefined;
}

/** A user with the workspace that is theirs, as an operator sees them. */
export interface ListedUser {
  readonly email: string;
  readonly username: string | undefined;
  readonly plan: Plan;
  readonly createdAtMs: number;
}

/** A link in a mail: only its id and generation are stored; its token is an HMAC of them (decision 34). */
export interface SignInLink {
  readonly id: string;
  readonly email: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | undefined;
}

/** A program that wants to sign in, and what was decided about it (RFC 8628); both of its codes are known by hash only. */
export interface DeviceCode {
  readonly id: string;
  readonly deviceHash: string;
  readonly userHash: string;
  /** What the program calls itself. */
  readonly clientName: string | undefined;
  readonly state: DeviceCodeState;
  /** How long it has to wait before it asks again. */
  readonly intervalSec: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly polledAtMs: number | undefined;
  /** Who said yes, and for which workspace. */
  readonly userId: string | undefined;
  readonly workspaceId: string | undefined;
}

export type DeviceCodeDecision =
  | { readonly state: 'approved'; readonly userId: string; readonly workspaceId: string }
  | { readonly state: 'denied' };
