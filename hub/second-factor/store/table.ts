/** A recovery code, for a person who has lost their passkeys. */
export interface RecoveryCodeRow {
  user_id: string;
  hash: string;
  made_at_ms: number;
  /** Null: the code was not used. */
  used_at_ms: number | null;
}
