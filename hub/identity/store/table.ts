export interface IdentityRow {
  id: string;
  issuer: string;
  subject: string;
  user_id: string;
  email: string | null;
  created_at_ms: number;
  used_at_ms: number;
}

/** A sign-in at a provider that has returned; `id` is the SHA-256 of its state. */
export interface UsedSignInRow {
  id: string;
  expires_at_ms: number;
}
