import { type Kysely, type RawBuilder, sql } from 'kysely';
import { callTables } from './0001-call-tables.ts';
import type { ColumnTypes } from './column-types.ts';

/** The schema before the first release. `hub/schema.ts` explains the columns. */
export async function initial(database: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  for (const statement of [...accountTables(types), ...callTables(types)]) await statement.execute(database);
}

/** Accounts, credentials, mail, audit, secrets, quotas and hosted runners. */
function accountTables({ text, clustered }: ColumnTypes): readonly RawBuilder<unknown>[] {
  return [
    sql`create table users (
      id ${text} not null primary key, email ${text} not null, email_key ${text} not null,
      created_at_ms bigint not null,
      constraint users_email_key unique (email_key)
    )`,
    sql`create table workspaces (
      id ${text} not null primary key, username ${text}, owner_id ${text} not null, plan ${text} not null,
      created_at_ms bigint not null, team_revision bigint default 0 not null, deleted_at_ms bigint,
      constraint workspaces_username unique (username),
      constraint workspaces_owner foreign key (owner_id) references users (id)
    )`,
    sql`create index workspaces_deleted on workspaces (id) where deleted_at_ms is not null`,
    // Every username that was ever chosen: the row outlives its workspace, so that none is given out again (decision 3, usernames).
    sql`create table usernames (
      username ${text} not null primary key, workspace_id ${text} not null
    )`,
    sql`create table members (
      workspace_id ${text} not null, user_id ${text} not null, role ${text} not null, epoch bigint not null,
      joined_at_ms bigint not null,
      constraint members_key primary key (workspace_id, user_id),
      constraint members_workspace foreign key (workspace_id) references workspaces (id),
      constraint members_user foreign key (user_id) references users (id)
    )`,
    sql`create index members_by_user_id on members (user_id)`,
    sql`create table api_keys (
      id ${text} not null primary key, workspace_id ${text} not null, created_by ${text} not null,
      name ${text} not null, hash ${text} not null, last4 ${text} not null, endpoints ${text},
      created_at_ms bigint not null, expires_at_ms bigint, revoked_at_ms bigint, previous_hash ${text},
      previous_last4 ${text}, previous_until_ms bigint, used_at_ms bigint,
      constraint api_keys_hash unique (hash),
      constraint api_keys_workspace foreign key (workspace_id) references workspaces (id)
    )`,
    sql`create index api_keys_by_workspace_id_id on api_keys (workspace_id, id)`,
    sql`create index api_keys_by_previous_hash on api_keys (previous_hash)`,
    sql`create table agent_tokens (
      id ${text} not null primary key, workspace_id ${text} not null, created_by ${text} not null,
      name ${text} not null, hash ${text} not null, last4 ${text} not null, agent_name ${text},
      created_at_ms bigint not null, revoked_at_ms bigint,
      constraint agent_tokens_hash unique (hash),
      constraint agent_tokens_workspace foreign key (workspace_id) references workspaces (id)
    )`,
    sql`create index agent_tokens_by_workspace_id_id on agent_tokens (workspace_id, id)`,
    sql`create index agent_tokens_revoked on agent_tokens (revoked_at_ms) where revoked_at_ms is not null`,
    sql`create table access_tokens (
      id ${text} not null primary key, kind ${text} not null, user_id ${text} not null, workspace_id ${text},
      hash ${text} not null, last4 ${text} not null, created_at_ms bigint not null,
      expires_at_ms bigint not null, epoch bigint not null, name ${text}, used_at_ms bigint,
      constraint access_tokens_hash unique (hash),
      constraint access_tokens_user foreign key (user_id) references users (id),
      constraint access_tokens_workspace foreign key (workspace_id) references workspaces (id)
    )`,
    sql`create index access_tokens_by_expires_at_ms on access_tokens (expires_at_ms)`,
    sql`create index access_tokens_by_user_id on access_tokens (user_id, id)`,
    sql`create table sign_in_links (
      id ${text} not null primary key, email ${text} not null, created_at_ms bigint not null,
      expires_at_ms bigint not null, used_at_ms bigint
    )`,
    sql`create index sign_in_links_by_expires_at_ms on sign_in_links (expires_at_ms)`,
    sql`create table device_codes (
      id ${text} not null primary key, device_hash ${text} not null, user_hash ${text} not null,
      client_name ${text}, state ${text} not null, interval_sec bigint not null,
      created_at_ms bigint not null, expires_at_ms bigint not null, polled_at_ms bigint, user_id ${text},
      workspace_id ${text},
      constraint device_codes_device_hash unique (device_hash),
      constraint device_codes_user_hash unique (user_hash)
    )`,
    sql`create index device_codes_by_expires_at_ms on device_codes (expires_at_ms)`,
    sql`create table invites (
      id ${text} not null primary key, workspace_id ${text} not null, email ${text} not null,
      email_key ${text} not null, role ${text} not null, state ${text} not null, generation bigint not null,
      invited_by ${text} not null, created_at_ms bigint not null, expires_at_ms bigint not null,
      closed_at_ms bigint,
      constraint invites_workspace foreign key (workspace_id) references workspaces (id)
    )`,
    sql`create index invites_by_workspace_id_state on invites (workspace_id, state)`,
    sql`create index invites_by_email_key_state on invites (email_key, state)`,
    sql`create index invites_by_expires_at_ms on invites (expires_at_ms)`,
    sql`create table mails (
      id ${text} not null primary key, recipient ${text} not null, subject ${text} not null,
      sealed_body ${text} not null, created_at_ms bigint not null, sent_at_ms bigint,
      next_at_ms bigint not null, tries bigint not null, error ${text}
    )`,
    sql`create index mails_by_created_at_ms_id on mails (created_at_ms, id)`,
    sql`create index mails_due on mails (next_at_ms) where sent_at_ms is null`,
    sql`create table audit_heads (
      workspace_id ${text} not null primary key, seq bigint not null, hash ${text} not null,
      closed_at_ms bigint
    )`,
    sql`create table audit_entries (
      workspace_id ${text} not null, seq bigint not null, at_ms bigint not null, action ${text} not null,
      actor_id ${text}, text ${text} not null, hash ${text} not null,
      constraint audit_entries_key primary key (workspace_id, seq)
    )`,
    sql`create index audit_entries_by_action on audit_entries (workspace_id, action, seq)`,
    sql`create index audit_entries_by_actor_id on audit_entries (workspace_id, actor_id, seq)`,
    sql`create table secrets (
      workspace_id ${text} not null references workspaces (id), name ${text} not null,
      sealed ${text} not null, agents ${text}, created_at_ms bigint not null, updated_at_ms bigint not null,
      updated_by ${text} not null,
      constraint secrets_key primary key (workspace_id, name)
    )`,
    // Endpoints and pipelines share the slugs of a workspace.
    sql`create table slugs (
      workspace_id ${text} not null, slug ${text} not null,
      constraint slugs_key primary key (workspace_id, slug)
    ) ${clustered}`,
    sql`create table quota (
      workspace_id ${text} not null, period ${text} not null, used bigint not null,
      constraint quota_key primary key (workspace_id, period)
    ) ${clustered}`,
    sql`create index quota_by_period on quota (period)`,
    sql`create table quota_marks (
      workspace_id ${text} not null, period ${text} not null, percent bigint not null,
      constraint quota_marks_key primary key (workspace_id, period, percent)
    )`,
    sql`create table runner_tokens (
      id ${text} not null primary key, name ${text} not null, hash ${text} not null unique,
      last4 ${text} not null, created_at_ms bigint not null, revoked_at_ms bigint
    )`,
    sql`create table runners (
      instance ${text} not null primary key, token_id ${text} not null, version ${text} not null,
      hostname ${text} not null, engine ${text} not null, capacity bigint not null, hub_id ${text},
      connected_at_ms bigint not null, seen_at_ms bigint not null
    )`,
    sql`create table hosted_workspaces (
      workspace_id ${text} not null primary key, turn bigint not null, network bigint not null
    )`,
    sql`create table hosted_runs (
      run_id ${text} not null primary key, workspace_id ${text} not null, instance ${text} not null,
      pinned_at_ms bigint not null
    )`,
    sql`create index hosted_runs_by_workspace_id on hosted_runs (workspace_id)`,
    sql`create index hosted_runs_by_pinned_at_ms on hosted_runs (pinned_at_ms)`,
  ];
}
