import type { SecretDecision } from '@svc/core/secret/grant';

export interface SecretRow {
  workspace_id: string;
  name: string;
  sealed: string;
  /** JSON array of agent names. */
  agents: string | null;
  created_at_ms: number;
  updated_at_ms: number;
  updated_by: string;
  /** Tokens and endpoints that are older need no grant; null: an older hub wrote the row, so `updated_at_ms` counts. */
  granted_at_ms: number | null;
}

export interface SecretDecisionRow {
  workspace_id: string;
  secret: string;
  kind: SecretDecision['kind'];
  /** The id of a token, a process or an endpoint. */
  subject_id: string;
  state: SecretDecision['state'];
  decided_by: string;
  decided_at_ms: number;
}
