import type { Plan } from '@svc/core/plan/plans';
import type { AssignableRole, InviteState } from '@svc/core/team/invite';
import type { DeviceCodeState } from '@svc/core/token/device-code';
import type { Role } from '@svc/core/workspace/permissions';
import type { AccessToken } from '../engine/ports/accounts.ts';
import type { RegisteredEndpoint } from '../engine/ports/endpoints.ts';
import type {
  AgentPresenceRow,
  AlertDeliveryRow,
  AlertEventRow,
  AlertLaneRow,
  AlertRuleRow,
  CallbackSecretRow,
} from './alerts/table.ts';
import type { ApprovalRow } from './approvals/table.ts';
import type { AuditEntryRow, AuditHeadRow } from './audit/table.ts';
import type {
  ExecutionCountChangeRow,
  ExecutionCountRow,
  ExecutionRow,
  OutputChunkRow,
} from './executions/table.ts';
import type { HostedRunRow, HostedWorkspaceRow, RunnerRow, RunnerTokenRow } from './hosted/table.ts';
import type { PipelineNodeRow, PipelineRunInputRow, PipelineRunRow } from './pipeline-runs/table.ts';
import type { PipelineRow, PipelineVersionRow } from './pipelines/table.ts';
import type { ScheduleRow } from './schedules/table.ts';
import type { SecretDecisionRow, SecretRow } from './secrets/table.ts';

/** The schema as the migrations leave it. Every `…_ms` is epoch milliseconds, every flag 0 or 1. */
export interface Tables {
  users: UserRow;
  workspaces: WorkspaceRow;
  usernames: { username: string; workspace_id: string };
  members: MemberRow;
  invites: InviteRow;
  api_keys: ApiKeyRow;
  agent_tokens: AgentTokenRow;
  access_tokens: AccessTokenRow;
  sign_in_links: SignInLinkRow;
  device_codes: DeviceCodeRow;
  mails: MailRow;
  agents: AgentRow;
  agent_instances: AgentInstanceRow;
  endpoints: EndpointRow;
  endpoint_versions: EndpointVersionRow;
  /** Those that endpoints and pipelines have. */
  slugs: { workspace_id: string; slug: string };
  pipelines: PipelineRow;
  pipeline_versions: PipelineVersionRow;
  pipeline_runs: PipelineRunRow;
  pipeline_run_inputs: PipelineRunInputRow;
  pipeline_nodes: PipelineNodeRow;
  executions: ExecutionRow;
  approvals: ApprovalRow;
  output_chunks: OutputChunkRow;
  /** Only in SQLite: the output since migration 0019. */
  execution_output: OutputChunkRow;
  execution_counts: ExecutionCountRow;
  execution_count_changes: ExecutionCountChangeRow;
  /** One row, with the id 1. */
  execution_counts_earlier: { id: number; counted_down_to: string };
  execution_counts_by_trigger: { execution_id: string };
  idempotency: IdempotencyRow;
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
  alert_lanes: AlertLaneRow;
  alert_deliveries: AlertDeliveryRow;
  agent_presences: AgentPresenceRow;
  quota_marks: { workspace_id: string; period: string; percent: number };
  hubs: { id: string; beat_at_ms: number };
  write_probe: { id: number; ballast: Uint8Array };
}

export interface UserRow {
  id: string;
  email: string;
  /** The address in lower case: by it two spellings are one user. */
  email_key: string;
  created_at_ms: number;
}

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

export interface MemberRow {
  workspace_id: string;
  user_id: string;
  role: Role;
  epoch: number;
  joined_at_ms: number;
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

export interface ApiKeyRow {
  id: string;
  workspace_id: string;
  created_by: string;
  name: string;
  hash: string;
  last4: string;
  /** JSON array of slugs. */
  endpoints: string | null;
  created_at_ms: number;
  expires_at_ms: number | null;
  revoked_at_ms: number | null;
  /** The token before the last rotation, and until when it works. */
  previous_hash: string | null;
  previous_last4: string | null;
  previous_until_ms: number | null;
  /** When it was last used, to the hour. */
  used_at_ms: number | null;
}

export interface AgentTokenRow {
  id: string;
  workspace_id: string;
  created_by: string;
  name: string;
  hash: string;
  last4: string;
  /** The name that it is bound to; null: it is not bound yet, or has several names. */
  agent_name: string | null;
  created_at_ms: number;
  revoked_at_ms: number | null;
  /** JSON array of all names of a token that was made for several. */
  agent_names: string | null;
  /** When its first hello bound it. */
  bound_at_ms: number | null;
  /** The process that its first hello came from. */
  first_instance: string | null;
  /** 1: every process that connects with it may have the secrets of its agent. */
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
  /** The name that its maker gave it; of a session the program it belongs to. */
  name: string | null;
  /** When it was last seen, to the minute. */
  used_at_ms: number | null;
}

export interface SignInLinkRow {
  id: string;
  email: string;
  created_at_ms: number;
  expires_at_ms: number;
  used_at_ms: number | null;
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
}

export interface MailRow {
  id: string;
  recipient: string;
  subject: string;
  /** Text and HTML, sealed: there are links in them. */
  sealed_body: string;
  created_at_ms: number;
  sent_at_ms: number | null;
  /** When it is tried next. */
  next_at_ms: number;
  tries: number;
  error: string | null;
}

/** An agent process that has been here; the row outlives its connections. */
export interface AgentRow {
  workspace_id: string;
  name: string;
  instance: string;
  version: string;
  hostname: string;
  os: string;
  arch: string;
  local_only: number;
  /** The hub that it is connected to; null: none. */
  hub_id: string | null;
  connected_at_ms: number;
  seen_at_ms: number;
  /** The number of the last line of its journal, as far as it is stored; null: its journal has none. */
  journal_seq: number | null;
  /** Since when it stands for an instance whose journal was damaged. */
  journal_damaged_at_ms: number | null;
}

/** To which token an agent process belongs, for good. */
export interface AgentInstanceRow {
  workspace_id: string;
  instance: string;
  token_id: string;
  agent_name: string;
  hostname: string;
  /** 1: it was the first process of its token, or was there before tokens were bound. */
  is_known: number;
  first_seen_ms: number;
}

export interface EndpointRow {
  id: string;
  workspace_id: string;
  slug: string;
  source: RegisteredEndpoint['source'];
  registered_by: string | null;
  version: number;
  created_at_ms: number;
  updated_at_ms: number;
  /** JSON object: since when its file has opened which secret to the public, or to the clock. */
  secret_exposure: string | null;
}

/** A row stays when its endpoint goes: executions point to what they ran. */
export interface EndpointVersionRow {
  endpoint_id: string;
  version: number;
  definition_hash: string;
  /** The wire form, JSON. */
  definition: string;
  created_at_ms: number;
  workspace_id: string | null;
  source: RegisteredEndpoint['source'] | null;
  /** JSON object of fields by their wire names; null: none. */
  overrides: string | null;
  /** Since when it has been seen that its endpoint is gone. */
  gone_since_ms?: number | null;
  /** The token and the process whose file had this version. */
  registered_token: string | null;
  registered_instance: string | null;
}

export interface IdempotencyRow {
  endpoint_id: string;
  credential: string;
  key: string;
  execution_id: string;
  request_hash: string;
  expires_at_ms: number;
}
