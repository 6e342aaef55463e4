export interface IdentityRow {
  id: string;
  issuer: string;
  subject: string;
  user_id: string;
  email: string | null;
  created_at_ms: number;
  used_at_ms: number;
}

/** A session of a browser that came from a provider; `id` is that of the session. */
export interface ProviderSessionRow {
  id: string;
  issuer: string;
  subject: string;
  /** The session at the provider; null: the provider named none. */
  sid: string | null;
  user_id: string;
  expires_at_ms: number;
  /** The workspace whose provider it is; null: that of the hub. */
  workspace_id: string | null;
  /** The refresh token, by which the hub asks for the groups; null: the provider gave none, or its groups mean nothing. */
  sealed_refresh: string | null;
  /** When the provider was last asked for the groups. */
  checked_at_ms: number | null;
}

/** A sign-in at a provider that has returned, with the SHA-256 of its state, or a logout token that was used. */
export interface UsedSignInRow {
  id: string;
  expires_at_ms: number;
}

/** The OpenID provider that the owner of a workspace has named (decision 92, providers of workspaces). */
export interface WorkspaceProviderRow {
  workspace_id: string;
  issuer: string;
  client_id: string;
  /** Null: a public client, which PKCE alone protects. */
  sealed_secret: string | null;
  name: string;
  scopes: string;
  groups_claim: string | null;
  /** The username in the redirect address that the provider knows; null: the present one. */
  callback_username: string | null;
  /** Raised by each change. */
  revision: number;
  created_at_ms: number;
  updated_at_ms: number;
}

/** A person at the provider of a workspace, linked to a user. */
export interface WorkspaceIdentityRow {
  id: string;
  workspace_id: string;
  issuer: string;
  subject: string;
  user_id: string;
  email: string | null;
  created_at_ms: number;
  used_at_ms: number;
}
