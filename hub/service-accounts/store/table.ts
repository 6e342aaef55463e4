import type { AssignableRole } from '@svc/core/team/invite';

export interface ServiceAccountRow {
  id: string;
  workspace_id: string;
  name: string;
  role: AssignableRole;
  created_by: string;
  created_at_ms: number;
  /** Null: it works. */
  disabled_at_ms: number | null;
}
