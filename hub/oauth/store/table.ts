import type { OAuthGrantState } from '@svc/core/oauth/decide-token';

export interface OAuthGrantRow {
  id: string;
  workspace_id: string;
  user_id: string;
  client_id: string;
  client_name: string;
  redirect_uri: string;
  resource: string;
  scopes: string;
  state: OAuthGrantState;
  code_hash: string;
  code_challenge: string;
  code_expires_at_ms: number;
  generation: number;
  created_at_ms: number;
  expires_at_ms: number;
}

export interface OAuthTokenRow {
  hash: string;
  grant_id: string;
  workspace_id: string;
  kind: 'access' | 'refresh';
  generation: number;
  expires_at_ms: number;
}
