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
