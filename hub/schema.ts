import type {
  AccessTokenRow,
  AgentTokenRow,
  ApiKeyRow,
  DeviceCodeRow,
  EmailChangeRow,
  SignInLinkRow,
  UnenteredAccountRow,
  UserRow,
} from './accounts/store/table.ts';
import type { AgentInstanceRow, AgentRow } from './agents/store/table.ts';
import type {
  AgentPresenceRow,
  AlertDeliveryRow,
  AlertEventRow,
  AlertQueueRow,
  AlertRuleRow,
  CallbackSecretRow,
  MissingSuccessRow,
} from './alerts/store/table.ts';
import type { ApprovalRow } from './approvals/store/table.ts';
import type { ArtifactRow } from './artifacts/store/table.ts';
import type { AuditEntryRow, AuditHeadRow } from './audit/store/table.ts';
import type { EndpointGrantRow } from './endpoint-grants/store/table.ts';
import type { EndpointRow, EndpointVersionRow } from './endpoints/store/table.ts';
import type {
  ExecutionCountChangeRow,
  ExecutionCountRow,
  IdempotencyRow,
  OutputChunkRow,
  PackedCountRow,
  WholeExecutionRow,
} from './executions/store/table.ts';
import type { HostedRunRow, HostedWorkspaceRow, RunnerRow, RunnerTokenRow } from './hosted/store/table.ts';
import type {
  IdentityRow,
  ProviderSessionRow,
  UsedSignInRow,
  WorkspaceIdentityRow,
  WorkspaceProviderRow,
} from './identity/store/table.ts';
import type { OAuthGrantRow, OAuthTokenRow } from './oauth/store/table.ts';
import type { PasskeyRow } from './passkeys/store/table.ts';
import type { PipelineNodeRow, PipelineRunInputRow, PipelineRunRow } from './pipelines/runs/store/table.ts';
import type { PipelineRow, PipelineVersionRow } from './pipelines/store/table.ts';
import type { MailRow } from './platform/mail/mail-row.ts';
import type { ScheduleRow } from './schedules/store/table.ts';
import type { ScimGroupMemberRow, ScimGroupRow, ScimTokenRow, ScimUserRow } from './scim/store/table.ts';
import type { RecoveryCodeRow } from './second-factor/store/table.ts';
import type { SecretDecisionRow, SecretRow } from './secrets/store/table.ts';
import type { ServiceAccountRow } from './service-accounts/store/table.ts';
import type {
  GroupRoleRow,
  InviteRow,
  MemberGroupsRow,
  MemberRow,
  OwnershipOfferRow,
} from './teams/store/table.ts';
import type { UsernameRow, WorkspaceRow } from './workspaces/store/table.ts';

/** The schema after all migrations. Every `…_ms` is epoch milliseconds, every flag 0 or 1. */
export interface Tables {
  users: UserRow;
  workspaces: WorkspaceRow;
  usernames: UsernameRow;
  members: MemberRow;
  invites: InviteRow;
  group_roles: GroupRoleRow;
  member_groups: MemberGroupsRow;
  scim_tokens: ScimTokenRow;
  scim_users: ScimUserRow;
  scim_groups: ScimGroupRow;
  scim_group_members: ScimGroupMemberRow;
  unentered_accounts: UnenteredAccountRow;
  ownership_offers: OwnershipOfferRow;
  service_accounts: ServiceAccountRow;
  endpoint_grants: EndpointGrantRow;
  api_keys: ApiKeyRow;
  agent_tokens: AgentTokenRow;
  access_tokens: AccessTokenRow;
  sign_in_links: SignInLinkRow;
  email_changes: EmailChangeRow;
  device_codes: DeviceCodeRow;
  identities: IdentityRow;
  used_sign_ins: UsedSignInRow;
  provider_sessions: ProviderSessionRow;
  workspace_providers: WorkspaceProviderRow;
  workspace_identities: WorkspaceIdentityRow;
  passkeys: PasskeyRow;
  recovery_codes: RecoveryCodeRow;
  oauth_grants: OAuthGrantRow;
  oauth_tokens: OAuthTokenRow;
  mails: MailRow;
  agents: AgentRow;
  agent_instances: AgentInstanceRow;
  endpoints: EndpointRow;
  endpoint_versions: EndpointVersionRow;
  /** The columns of both endpoints and pipelines. */
  slugs: { workspace_id: string; slug: string };
  pipelines: PipelineRow;
  pipeline_versions: PipelineVersionRow;
  pipeline_runs: PipelineRunRow;
  pipeline_run_inputs: PipelineRunInputRow;
  pipeline_nodes: PipelineNodeRow;
  executions: WholeExecutionRow;
  approvals: ApprovalRow;
  artifacts: ArtifactRow;
  output_chunks: OutputChunkRow;
  /** Only in SQLite: the output since migration 0019. */
  execution_output: OutputChunkRow;
  execution_counts: ExecutionCountRow;
  execution_counts_packed: PackedCountRow;
  execution_count_changes: ExecutionCountChangeRow;
  /** One row, with the id 1. */
  execution_counts_earlier: { id: number; counted_down_to: string };
  execution_counts_by_trigger: { execution_id: string };
  idempotency: IdempotencyRow;
  /** One row, with the id 1: how far the index of words is. */
  output_search_marks: { id: number; up_to: string; down_to: string };
  output_search_pending: { execution_id: string };
  quota: { workspace_id: string; period: string; used: number };
  runner_tokens: RunnerTokenRow;
  runners: RunnerRow;
  hosted_workspaces: HostedWorkspaceRow;
  hosted_runs: HostedRunRow;
  secrets: SecretRow;
  secret_decisions: SecretDecisionRow;
  schedules: ScheduleRow;
  audit_heads: AuditHeadRow;
  audit_entries: AuditEntryRow;
  alert_rules: AlertRuleRow;
  callback_secrets: CallbackSecretRow;
  alert_events: AlertEventRow;
  alert_lanes: AlertQueueRow;
  alert_deliveries: AlertDeliveryRow;
  agent_presences: AgentPresenceRow;
  missing_successes: MissingSuccessRow;
  quota_marks: { workspace_id: string; period: string; percent: number };
  hubs: { id: string; beat_at_ms: number; knows_schema: string | null; knows_at_ms: number | null };
  write_probe: { id: number; ballast: Uint8Array };
}
