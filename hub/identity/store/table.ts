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
}

/** A sign-in at a provider that has returned, with the SHA-256 of its state, or a logout token that was used. */
export interface UsedSignInRow {
  id: string;
  expires_at_ms: number;
}
