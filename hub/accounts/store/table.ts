import type { EmailChangeState } from '@svc/core/account/email-change';
import type { DeviceCodeState } from '@svc/core/token/device-code';
import type { AccessToken } from '../account-ports.ts';

export interface UserRow {
  id: string;
  email: string;
  /** The address in lower case, which makes spellings that differ in case one user. */
  email_key: string;
  created_at_ms: number;
  /** Null: the person has no second factor. */
  second_factor_since_ms: number | null;
  /** The workspace that the person last opened in the dashboard; null: their first own one. */
  last_workspace_id: string | null;
}

export interface ApiKeyRow {
  id: string;
  workspace_id: string;
  created_by: string;
  /** The service account of the key; null: it is the key of the member who created it. */
  service_account_id: string | null;
  name: string;
  hash: string;
  last4: string;
  /** JSON array of slugs. */
  endpoints: string | null;
  created_at_ms: number;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
  /** The token before the last rotation, and its expiry. */
  previous_hash: string | null;
  previous_last4: string | null;
  previous_until_ms: number | null;
  /** When it was last used, to the hour. */
  used_at_ms: number | null;
  /** Since when an AI agent has it; null: it was never used at `/mcp`. */
  agent_since_ms: number | null;
}

export interface AgentTokenRow {
  id: string;
  workspace_id: string;
  created_by: string;
  name: string;
  hash: string;
  last4: string;
  /** The bound agent name; null: the token is not bound yet, or has several names. */
  agent_name: string | null;
  created_at_ms: number;
  revoked_at_ms: number | null;
  /** JSON array of all names of a token that was made for several. */
  agent_names: string | null;
  /** When the first hello bound the token. */
  bound_at_ms: number | null;
  /** The process that sent the first hello. */
  first_instance: string | null;
  /** Until when the token can be exchanged; null: it is an agent token. */
  enrol_until_ms: number | null;
  /** 1: every process with this token may have the secrets of its agent. */
  is_pool: number | null;
}

export interface AccessTokenRow {
  id: string;
  kind: AccessToken['kind'];
  user_id: string;
  workspace_id: string | null;
  hash: string;
  last4: string;
  created_at_ms: number;
  expires_at_ms: number;
  epoch: number;
  /** The name given by the user; for a session, the browser or program. */
  name: string | null;
  /** When it was last used, to the minute. */
  used_at_ms: number | null;
  /** Since when an AI agent has it; null: it was never used at `/mcp`. */
  agent_since_ms: number | null;
  /** The passkey that the session began with. */
  passkey_id: string | null;
  /** When a pending session expires after its second factor is proved; null: the row is no pending session. */
  full_expires_at_ms: number | null;
  /** The address from which a session was begun. */
  address: string | null;
  /** The session for one workspace in which the access token was made; null: another session, or none. */
  bound_session_id: string | null;
}

export interface SignInLinkRow {
  id: string;
  email: string;
  created_at_ms: number;
  expires_at_ms: number;
  used_at_ms: number | null;
}

/** A request to change the address of an account. */
export interface EmailChangeRow {
  id: string;
  user_id: string;
  from_email: string;
  /** The old address, in lower case. */
  from_key: string;
  to_email: string;
  state: EmailChangeState;
  /** Each answer increments it. */
  revision: number;
  created_at_ms: number;
  expires_at_ms: number;
  old_confirmed_at_ms: number | null;
  new_confirmed_at_ms: number | null;
  closed_at_ms: number | null;
}

export interface DeviceCodeRow {
  id: string;
  device_hash: string;
  user_hash: string;
  client_name: string | null;
  state: DeviceCodeState;
  interval_sec: number;
  created_at_ms: number;
  expires_at_ms: number;
  polled_at_ms: number | null;
  user_id: string | null;
  workspace_id: string | null;
  /** The session for one workspace in which the user approved; null: another session. */
  bound_session_id: string | null;
}

/** An account that SCIM made, and that its person has not entered yet. */
export interface UnenteredAccountRow {
  user_id: string;
  created_at_ms: number;
}
