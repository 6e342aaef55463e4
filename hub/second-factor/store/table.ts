/** A code of a person whose passkeys are lost. */
export interface RecoveryCodeRow {
  user_id: string;
  hash: string;
  made_at_ms: number;
  /** Null: it was not used. */
  used_at_ms: number | null;
}
