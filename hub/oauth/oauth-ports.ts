import type { OAuthGrantState } from '@svc/core/oauth/decide-token';
import type { Role } from '@svc/core/workspace/permissions';

/** What a user allowed an AI client to do in one workspace (decision 74, access for AI clients). */
export interface Grant {
  /** Also the id of the API key that its calls are recorded with. */
  readonly id: string;
  readonly workspaceId: string;
  readonly userId: string;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectUri: string;
  readonly resource: string;
  /** As `scopesText` writes them. */
  readonly scopes: string;
  readonly state: OAuthGrantState;
  readonly codeHash: string;
  readonly codeChallenge: string;
  readonly codeExpiresAtMs: number;
  /** The number of the present refresh token. */
  readonly generation: number;
  readonly createdAtMs: number;
  /** Each refresh moves it. */
  readonly expiresAtMs: number;
}

/** A grant with the facts of other tables. */
export interface GrantNow extends Grant {
  /** It was revoked, or its key was, or its user is no longer a member. */
  readonly isRevoked: boolean;
  /** When the client last called, to the hour. */
  readonly usedAtMs: number | undefined;
}

/** A token of a grant; only its hash is stored (decision 1, tokens). */
export interface GrantToken {
  readonly hash: string;
  readonly grantId: string;
  readonly workspaceId: string;
  readonly kind: 'access' | 'refresh';
  readonly generation: number;
  readonly expiresAtMs: number;
}

/** A token with its grant, and the role that the user has now; undefined: no member any more. */
export interface PresentedToken {
  readonly token: GrantToken;
  readonly grant: GrantNow;
  readonly role: Role | undefined;
}
