import type { AiAccess } from '@svc/core/mcp/ai-access';
import type { Plan } from '@svc/core/plan/plans';
import type { EndpointAccess } from '@svc/core/workspace/endpoint-rights';
import type { SecondFactorRule } from '@svc/core/workspace/second-factor-rule';
import type { SignInRule } from '@svc/core/workspace/sign-in-rule';
import type { OldUrls } from '@svc/core/workspace/username';

export interface WorkspaceRow {
  id: string;
  username: string | null;
  owner_id: string;
  plan: Plan;
  created_at_ms: number;
  /** Every change of the team increments it. */
  team_revision: number;
  /** When its deletion began: the workspace is hidden, and its rows are being removed. */
  deleted_at_ms: number | null;
  /** JSON array of former usernames; null: none. */
  former_usernames: string | null;
  /** Null: `all`. */
  ai_access: AiAccess | null;
  /** Null: `all`. */
  endpoint_access: EndpointAccess | null;
  /** Null: the workspace has no sign-in provider of its own. */
  sign_in: SignInRule | null;
  /** Null: members need no second factor. */
  second_factor: SecondFactorRule | null;
}

/** A username that was ever chosen. The row outlives its workspace, so that no other workspace gets the name. */
export interface UsernameRow {
  username: string;
  workspace_id: string;
  /** What URLs with this username answer; null: it is the present username, or that of a deleted workspace. */
  old_urls: OldUrls | null;
  /** When the workspace took another username. */
  retired_at_ms: number | null;
}
