import type { GranteeKind } from '@svc/core/workspace/endpoint-rights';

export interface EndpointGrantRow {
  id: string;
  workspace_id: string;
  grantee_kind: GranteeKind;
  /** The id of the member or service account, or the name of the group. */
  grantee: string;
  /** A JSON list of patterns. */
  endpoints: string;
  /** A JSON list of actions. */
  can: string;
  created_by: string;
  created_at_ms: number;
}
