import type { Plan } from '@svc/core/plan/plans';

export interface WorkspaceRow {
  id: string;
  username: string | null;
  owner_id: string;
  plan: Plan;
  created_at_ms: number;
  /** Raised by every change of the team. */
  team_revision: number;
  /** Its deletion began: nobody sees it any more, and what it has is being removed. */
  deleted_at_ms: number | null;
}
