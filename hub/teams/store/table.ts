import type { AssignableRole, InviteState } from '@svc/core/team/invite';
import type { Role } from '@svc/core/workspace/permissions';

export interface MemberRow {
  workspace_id: string;
  user_id: string;
  role: Role;
  epoch: number;
  joined_at_ms: number;
  /** The group at the sign-in provider that made the membership; null: a person did. */
  via_group: string | null;
}

/** The groups at the sign-in provider that the last sign-in of a member proved. */
export interface MemberGroupsRow {
  workspace_id: string;
  user_id: string;
  /** That of the membership which the row belongs to. */
  joined_at_ms: number;
  /** A JSON list, sorted. */
  group_names: string;
}

/** At most one offer for each workspace. */
export interface OwnershipOfferRow {
  workspace_id: string;
  user_id: string;
  offered_at_ms: number;
  expires_at_ms: number;
}

export interface GroupRoleRow {
  workspace_id: string;
  group_name: string;
  role: AssignableRole;
  /** A JSON list. */
  domains: string;
}

export interface InviteRow {
  id: string;
  workspace_id: string;
  email: string;
  /** The address in lower case. */
  email_key: string;
  role: AssignableRole;
  state: InviteState;
  generation: number;
  invited_by: string;
  created_at_ms: number;
  expires_at_ms: number;
  closed_at_ms: number | null;
}
