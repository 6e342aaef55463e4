import type { AssignableRole } from '@svc/core/team/invite';

/** The token of the provider of a workspace. */
export interface ScimTokenRow {
  workspace_id: string;
  hash: string;
  last4: string;
  /** The role of people in no group with a role. */
  default_role: AssignableRole;
  created_by: string;
  created_at_ms: number;
  /** To the minute; null: never. */
  used_at_ms: number | null;
}

/** A person as the provider of a workspace describes them. They are active while their account is a member. */
export interface ScimUserRow {
  id: string;
  workspace_id: string;
  user_name: string;
  /** In lower case. */
  user_name_key: string;
  external_id: string | null;
  display_name: string | null;
  given_name: string | null;
  family_name: string | null;
  /** A JSON list. */
  emails: string;
  /** The address by which the account was found, in lower case. */
  email_key: string;
  /** The account; null: the person was never active. */
  account_id: string | null;
  /** The group that gave the present role; null: none did. */
  role_group: string | null;
  created_at_ms: number;
  changed_at_ms: number;
}

export interface ScimGroupRow {
  id: string;
  workspace_id: string;
  display_name: string;
  /** In lower case. */
  display_name_key: string;
  external_id: string | null;
  created_at_ms: number;
  changed_at_ms: number;
}

export interface ScimGroupMemberRow {
  group_id: string;
  scim_user_id: string;
  workspace_id: string;
}
