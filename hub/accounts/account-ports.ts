import type { AiAccess } from '@svc/core/mcp/ai-access';
import type { Plan } from '@svc/core/plan/plans';
import type { DeviceCodeState } from '@svc/core/token/device-code';
import type { Role } from '@svc/core/workspace/permissions';
import type { SecondFactorRule } from '@svc/core/workspace/second-factor-rule';
import type { SignInRule } from '@svc/core/workspace/sign-in-rule';
import type { OldUrls } from '@svc/core/workspace/username';

// Users and their credentials. Each change of them is stored together with its entry of the audit log
// (decision 48, the audit log).

export interface Workspace {
  readonly id: string;
  /** Undefined until its owner has chosen one (reference 1). */
  readonly username: string | undefined;
  /** Former usernames, the latest last; undefined: none (decision 102, change of username). */
  readonly formerUsernames?: readonly string[] | undefined;
  readonly ownerId: string;
  readonly plan: Plan;
  /** What AI agents may do here; undefined: everything that their keys allow. */
  readonly aiAccess?: AiAccess | undefined;
  /** Undefined: it has no sign-in provider of its own (decision 92, providers of workspaces). */
  readonly signIn?: SignInRule | undefined;
  /** Undefined: members need no second factor (decision 100, second factor). */
  readonly secondFactor?: SecondFactorRule | undefined;
}

/** A former username of a workspace, which keeps it reserved (decision 102, change of username). */
export interface FormerUsername {
  readonly username: string;
  readonly workspaceId: string;
  readonly oldUrls: OldUrls;
  /** The present username. */
  readonly present: string;
}

export interface Member {
  readonly userId: string;
  readonly email: string;
  readonly workspaceId: string;
  readonly role: Role;
  /** The group at a sign-in provider that made the membership; undefined: a person did. */
  readonly viaGroup?: string | undefined;
  /** Whether the person has a second factor (decision 100, second factor). */
  readonly hasSecondFactor?: boolean | undefined;
  /** A program in the place of a person (decision 81, service accounts); `userId` is then the id of the service account. */
  readonly isServiceAccount?: true;
  /** Removal, a role change and sign-out everywhere raise it; credentials of an older epoch are invalid (decision 44, sign-in). */
  readonly epoch: number;
}

/** Tokens are stored only as hashes (decision 1, tokens). */
export interface ApiKey {
  readonly id: string;
  readonly workspaceId: string;
  readonly createdBy: string;
  /** The service account of the key; undefined: it is the key of the member who created it. */
  readonly serviceAccountId?: string | undefined;
  readonly name: string;
  readonly hash: string;
  readonly last4: string;
  /** The slugs that the key may call; undefined: all of the workspace. */
  readonly endpoints: readonly string[] | undefined;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly revokedAtMs: number | undefined;
}

/** A key with its current state. */
export interface UsedApiKey extends ApiKey {
  /** The token before the last rotation, and its expiry. */
  readonly previousLast4: string | undefined;
  readonly previousUntilMs: number | undefined;
  /** When it was last used, to the hour. */
  readonly usedAtMs: number | undefined;
  /** Since when an AI agent has it; undefined: it was never used at `/mcp`. */
  readonly agentSinceMs: number | undefined;
}

/** The new token of a rotated key. */
export interface RotatedKey {
  readonly hash: string;
  readonly last4: string;
  /** The previous token works until then. */
  readonly previousUntilMs: number;
}

export interface AgentToken {
  readonly id: string;
  readonly workspaceId: string;
  readonly createdBy: string;
  readonly name: string;
  readonly hash: string;
  readonly last4: string;
  /** The agent names that the token may use; empty: its first hello binds it to one (decision 58, agent tokens). */
  readonly agentNames: readonly string[];
  /** When the first hello bound the token; undefined: it is not bound yet, or has had its names since it was created. */
  readonly boundAtMs: number | undefined;
  /** The process that sent the first hello. */
  readonly firstInstance: string | undefined;
  /** Every process with this token may have the secrets of its agent, not only the first. */
  readonly isPool: boolean;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | undefined;
  /** Set: no agent has it yet. `hash` is that of an enrolment token, which can be exchanged until then. */
  readonly enrolUntilMs?: number | undefined;
}

/** An agent process that an agent token belongs to. */
export interface TokenBinding {
  readonly agentName: string;
  readonly instance: string;
}

/**
 * A browser session or a personal access token (`svc_pat_`); both act for one member. A pending session gives no
 * access until its second factor is proved (decision 100, second factor).
 */
export interface AccessToken {
  readonly id: string;
  readonly kind: 'session' | 'personal' | 'pending';
  readonly userId: string;
  /**
   * The workspace of a personal access token, or of a session from the provider of a workspace; undefined for every other session,
   * which acts in any workspace of its user.
   */
  readonly workspaceId: string | undefined;
  readonly hash: string;
  readonly last4: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly epoch: number;
  /** The name given by the user; for a session, the name of its browser or program. */
  readonly name: string | undefined;
  /** When it was last used, to the minute. */
  readonly usedAtMs: number | undefined;
  /** Since when an AI agent has it; undefined: it was never used at `/mcp`. */
  readonly agentSinceMs: number | undefined;
  /** The passkey that began the session; undefined: another way to sign in did. */
  readonly passkeyId: string | undefined;
  /** When a pending session expires once its second factor is proved. */
  readonly fullExpiresAtMs?: number | undefined;
  /** The address from which a session was begun. */
  readonly address?: string | undefined;
  /**
   * The session from the provider of a workspace in which the personal access token was made. The token opens no more than the session
   * (decision 92, providers of workspaces). Undefined: it was made otherwise.
   */
  readonly boundSessionId?: string | undefined;
}

/** A user with their own workspace, as shown to operators. */
export interface ListedUser {
  readonly email: string;
  readonly username: string | undefined;
  readonly plan: Plan;
  readonly createdAtMs: number;
}

/** A mailed link. Only its id and generation are stored; its token is an HMAC of them (decision 34, links that act). */
export interface SignInLink {
  readonly id: string;
  readonly email: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | undefined;
}

/** A program that asks to sign in, with the decision (RFC 8628). Both of its codes are stored only as hashes. */
export interface DeviceCode {
  readonly id: string;
  readonly deviceHash: string;
  readonly userHash: string;
  /** The name that the program gives itself. */
  readonly clientName: string | undefined;
  readonly state: DeviceCodeState;
  /** The polling interval. */
  readonly intervalSec: number;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly polledAtMs: number | undefined;
  /** The user who approved, and the workspace. */
  readonly userId: string | undefined;
  readonly workspaceId: string | undefined;
  /** The session from the provider of the workspace in which they approved. */
  readonly boundSessionId?: string | undefined;
}

export type DeviceCodeDecision =
  | {
      readonly state: 'approved';
      /** The session that approves. */
      readonly sessionId: string;
      readonly userId: string;
      readonly workspaceId: string;
      readonly boundSessionId?: string | undefined;
    }
  | { readonly state: 'denied' };
