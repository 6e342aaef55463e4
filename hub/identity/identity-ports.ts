/** A person at an OpenID provider, linked to a user. `issuer` and `subject` are the identity; the address is not. */
export interface Identity {
  readonly id: string;
  readonly issuer: string;
  readonly subject: string;
  readonly userId: string;
  /** The address that the provider gave at the last sign-in; for people. */
  readonly email: string | undefined;
  readonly createdAtMs: number;
  readonly usedAtMs: number;
}

/** The verified claims of an ID token. */
export interface ProvedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | undefined;
  /** The provider has verified the address, or the operator vouches for it. */
  readonly isEmailVerified: boolean;
  /** Undefined: the operator named no claim, or the provider left the groups out. */
  readonly groups: readonly string[] | undefined;
  /** The session at the provider; undefined: the provider named none. */
  readonly sid: string | undefined;
  /** By which the hub asks for the groups again; undefined: the provider gave none. */
  readonly refreshToken: string | undefined;
}

/** The OpenID provider of a workspace, as its owner named it (decision 92, providers of workspaces). */
export interface WorkspaceProvider {
  readonly workspaceId: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client, which PKCE alone protects. */
  readonly sealedSecret: string | undefined;
  readonly name: string;
  readonly scopes: string;
  /** The claim with the groups of a person; undefined: groups mean nothing. */
  readonly groupsClaim: string | undefined;
  /** The username in the redirect address that the provider knows; undefined: the present one (decision 102, change of username). */
  readonly callbackUsername?: string | undefined;
  readonly revision: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/** A person at the provider of a workspace, linked to a user. The same person at another provider is a stranger. */
export interface WorkspaceIdentity extends Identity {
  readonly workspaceId: string;
}
