import type { SecretDecision } from '@svc/core/secret/grant';

/** A managed secret as stored. Its value is sealed for its workspace and name. */
export interface Secret {
  readonly workspaceId: string;
  readonly name: string;
  readonly sealed: string;
  /** The names of the agents whose commands may use the secret; undefined: all agents of the workspace. */
  readonly agents: readonly string[] | undefined;
  /** Tokens and endpoints that are older than this need no grant (decision 58, agent tokens and secret grants). */
  readonly grantedAtMs: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly updatedBy: string;
}

/** A decision about a secret, with the user who decided and the time. */
export interface StoredDecision extends SecretDecision {
  readonly decidedBy: string;
  readonly decidedAtMs: number;
}

/** A sealed text in any table of the store. */
export interface SealedText {
  /** One of `SealedTexts.places`. */
  readonly place: string;
  /** Identifies the row: `scope` is its workspace, or its id when it belongs to none; `id` is its name or id. */
  readonly scope: string;
  readonly id: string;
  readonly sealed: string;
}
