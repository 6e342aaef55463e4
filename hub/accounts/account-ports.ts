import type { AuditEntry } from '@svc/core/audit/entry';
import type { Plan } from '@svc/core/plan/plans';
import type { DeviceCodeState } from '@svc/core/token/device-code';
import type { Role } from '@svc/core/workspace/permissions';
import type { OutgoingMail } from '../platform/mail/outbox-ports.ts';

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

export interface Accounts {
  workspaceByUsername(username: string): Promise<Workspace | undefined>;
  workspaceById(id: string): Promise<Workspace | undefined>;
  workspacesOf(userId: string): Promise<readonly { workspace: Workspace; role: Role }[]>;
  member(workspaceId: string, userId: string): Promise<Member | undefined>;
  userByEmail(email: string): Promise<{ id: string; email: string } | undefined>;
  userById(id: string): Promise<{ id: string; email: string } | undefined>;
  /** User, workspace and owner in one transaction; the existing user when the address has one already. */
  createUser(
    user: { id: string; email: string; workspaceId: string; plan: Plan; nowMs: number },
    entry: AuditEntry,
  ): Promise<{ id: string; email: string }>;
  /** A workspace for a user who has deleted their own; false when they own one, or are gone. */
  createWorkspace(
    workspace: { id: string; userId: string; plan: Plan; nowMs: number },
    entry: AuditEntry,
  ): Promise<boolean>;
  chooseUsername(
    workspaceId: string,
    username: string,
    entry: AuditEntry,
  ): Promise<'stored' | 'taken' | 'chosen_already'>;
  setPlan(workspaceId: string, plan: Plan, entry: AuditEntry): Promise<void>;
  /** In the order of their addresses, those behind this one. */
  usersAfter(email: string, limit: number): Promise<readonly ListedUser[]>;
}

export interface Credentials {
  /** Also by the token before the last rotation, while that works: then `expiresAtMs` is when it stops. */
  apiKeyByHash(hash: string): Promise<UsedApiKey | undefined>;
  agentTokenByHash(hash: string): Promise<AgentToken | undefined>;
  accessTokenByHash(hash: string): Promise<AccessToken | undefined>;
  /** False when its maker is no member any more: a key must not outlive a removal that came in between (reference 3.4). */
  addApiKey(key: ApiKey, entry: AuditEntry): Promise<boolean>;
  addAgentToken(token: AgentToken, entry: AuditEntry): Promise<void>;
  addAccessToken(token: AccessToken, entry: AuditEntry): Promise<void>;
  apiKeysOf(workspaceId: string): Promise<UsedApiKey[]>;
  agentTokensOf(workspaceId: string): Promise<AgentToken[]>;
  /** Compare-and-set: false when it was rotated or revoked meanwhile, or has expired. */
  rotateApiKey(key: ApiKey, to: RotatedKey, entry: AuditEntry): Promise<boolean>;
  /** It was used just now. */
  touchApiKey(id: string, nowMs: number): Promise<void>;
  /** False when there is no such row in the workspace. */
  revokeApiKey(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean>;
  /**
   * The first hello of a token binds it to its agent name and notes its process. Compare-and-set: `bound_already` when another
   * hello was first, `name_taken` when another living token has the name by then.
   */
  bindAgentToken(
    token: AgentToken,
    to: TokenBinding,
    entry: AuditEntry,
  ): Promise<'stored' | 'bound_already' | 'name_taken'>;
  /** Notes the process of the first hello of a token that has its names already; the first one stays. */
  noteFirstInstance(tokenId: string, instance: string): Promise<void>;
  /** Puts on record that a token came under a name that it may not use. */
  noteNameRefused(entry: AuditEntry): Promise<void>;
  /** The ids of those that were revoked from this moment on, by whichever hub. */
  agentTokensRevokedSince(sinceMs: number): Promise<string[]>;
  revokeAgentToken(workspaceId: string, id: string, entry: AuditEntry): Promise<boolean>;
  /** Those of a user that are not over: sessions, and tokens of all their workspaces. */
  accessTokensOf(userId: string, nowMs: number): Promise<AccessToken[]>;
  endAccessToken(id: string, entry: AuditEntry): Promise<void>;
  /** It was seen just now. */
  touchAccessToken(id: string, nowMs: number): Promise<void>;
  /** Ends every session and access token of a user and raises their epoch everywhere (decision 44). */
  endAllOfUser(userId: string, entry: AuditEntry): Promise<void>;
}

/** A link in a mail: only its id and generation are stored; its token is an HMAC of them (decision 34). */
export interface SignInLink {
  readonly id: string;
  readonly email: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly usedAtMs: number | undefined;
}

export interface SignInLinks {
  /** With the mail that it is sent in, if it is. */
  add(link: SignInLink, mail?: OutgoingMail): Promise<void>;
  find(id: string): Promise<SignInLink | undefined>;
  /** Compare-and-set: false when it was used already. */
  use(id: string, nowMs: number): Promise<boolean>;
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

export interface DeviceCodes {
  /** False when one of its hashes is taken: then it needs other codes. */
  add(code: DeviceCode): Promise<boolean>;
  byDeviceHash(hash: string): Promise<DeviceCode | undefined>;
  byUserHash(hash: string): Promise<DeviceCode | undefined>;
  polled(id: string, nowMs: number, intervalSec: number): Promise<void>;
  /** Compare-and-set: false when it is no longer pending. */
  decide(id: string, decision: DeviceCodeDecision, entry: AuditEntry): Promise<boolean>;
  /** Uses an approved code and stores its token, both or neither; false when it was used already. */
  redeem(id: string, token: AccessToken, entry: AuditEntry): Promise<boolean>;
}
