export interface PasskeyRow {
  id: string;
  user_id: string;
  credential_id: string;
  public_key: string;
  counter: number;
  is_backed_up: number;
  name: string;
  created_at_ms: number;
  used_at_ms: number | null;
}
