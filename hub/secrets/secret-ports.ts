import type { AuditEntry } from '@svc/core/audit/entry';
import type { SecretDecision } from '@svc/core/secret/grant';

/** A managed secret as it is stored: its value sealed for its workspace and name. */
export interface Secret {
  readonly workspaceId: string;
  readonly name: string;
  readonly sealed: string;
  /** The only agents whose commands may have it; undefined: all of the workspace. */
  readonly agents: readonly string[] | undefined;
  /** Tokens and endpoints that existed by then need no grant (decision 58, secret grants). */
  readonly grantedAtMs: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly updatedBy: string;
}

export interface Secrets {
  /** In the order of their names. */
  list(workspaceId: string): Promise<Secret[]>;
  find(workspaceId: string, name: string): Promise<Secret | undefined>;
  /**
   * New or in place of the one of this name, which keeps when it was created, and `grantedAtMs` where it names the same agents
   * as before: a new value gives it to no one else. False when the workspace would have more than
   * the limit: counted in the transaction, so that many at once are no more either.
   */
  set(secret: Secret, limit: number, entry: AuditEntry): Promise<boolean>;
  /** What was decided about the secrets of a workspace, by the name of the secret. */
  decisions(workspaceId: string): Promise<StoredDecision[]>;
  /** Replaces the decision before. False when the secret was deleted. */
  decide(decision: StoredDecision & { readonly workspaceId: string }, entry: AuditEntry): Promise<boolean>;
  /** With what was decided about it. False when there is none. */
  remove(workspaceId: string, name: string, entry: AuditEntry): Promise<boolean>;
}

/** Who decided about a secret, and when. */
export interface StoredDecision extends SecretDecision {
  readonly decidedBy: string;
  readonly decidedAtMs: number;
}

/** Something sealed, wherever in the store it is. */
export interface SealedText {
  /** One of `places`. */
  readonly place: string;
  /** Which row: its workspace, or its id where it belongs to none; and its name or id. */
  readonly scope: string;
  readonly id: string;
  readonly sealed: string;
}

/** Everything that the vault has sealed, to be taken over by another master key. */
export interface SealedTexts {
  /** Tables and columns, such as `secrets.sealed`. */
  readonly places: readonly string[];
  /** Those that another key than this seals, in an order of their own, behind the one that is given. */
  notUnder(keyId: string, place: string, after: SealedText | undefined, limit: number): Promise<SealedText[]>;
  /** Compare-and-set: false when it was changed meanwhile, or is gone. */
  replace(text: SealedText, sealed: string): Promise<boolean>;
}
