import { type RawBuilder, sql } from 'kysely';
import type { ColumnTypes } from './column-types.ts';

/** Endpoints, executions, hubs, agents, alerts, approvals, schedules and pipelines. */
export function callTables({ text, bytes, clustered }: ColumnTypes): readonly RawBuilder<unknown>[] {
  return [
    sql`create table endpoints (
      id ${text} not null primary key, workspace_id ${text} not null, slug ${text} not null,
      source ${text} not null, registered_by ${text}, version bigint not null, created_at_ms bigint not null,
      updated_at_ms bigint not null,
      constraint endpoints_slug unique (workspace_id, slug),
      constraint endpoints_workspace foreign key (workspace_id) references workspaces (id)
    )`,
    sql`create table endpoint_versions (
      endpoint_id ${text} not null, version bigint not null, definition_hash ${text} not null,
      definition ${text} not null, created_at_ms bigint not null, workspace_id ${text}, source ${text},
      overrides ${text}, gone_since_ms bigint,
      constraint endpoint_versions_key primary key (endpoint_id, version)
    )`,
    sql`create index endpoint_versions_by_workspace_id_endpoint_id
      on endpoint_versions (workspace_id, endpoint_id)`,
    // No foreign keys: an execution outlives its endpoint, and a look-up per insert in the hottest table would buy nothing.
    sql`create table executions (
      id ${text} not null primary key, workspace_id ${text} not null, endpoint_id ${text} not null,
      slug ${text} not null, definition_hash ${text} not null, state ${text} not null, reason ${text},
      "trigger" ${text} not null, caller_kind ${text} not null, caller_id ${text}, args ${text} not null,
      agent_name ${text}, agent_instance ${text}, agent_boot ${text}, hub_id ${text} not null,
      asynchronous bigint not null, timeout_sec bigint not null, created_at_ms bigint not null,
      read_token_hash ${text}, started_at_ms bigint, ended_at_ms bigint, exit_code bigint, duration_ms bigint,
      error ${text}, error_code ${text}, data ${text}, late bigint not null, stored_bytes bigint not null,
      last_seq bigint not null, sealed_args ${text}, cancel_asked_at_ms bigint, endpoint_version bigint,
      queued_at_ms bigint, scheduled_for_ms bigint, missed_fires bigint, run_id ${text}, step ${text},
      attempt bigint, step_env ${text}, step_agent ${text}
    ) ${clustered}`,
    sql`create index executions_by_workspace_id_id on executions (workspace_id, id)`,
    sql`create index executions_by_workspace_id_slug_id on executions (workspace_id, slug, id)`,
    sql`create index executions_by_workspace_id_caller_id_id on executions (workspace_id, caller_id, id)`,
    sql`create index executions_unhappy
      on executions (workspace_id, state, id) where state not in ('queued', 'running', 'succeeded')`,
    sql`create index executions_unfinished on executions (workspace_id, id) where state in ('queued', 'running')`,
    sql`create index executions_hosted on executions (workspace_id, id) where agent_name = 'hosted'`,
    sql`create unique index executions_fires
      on executions (endpoint_id, scheduled_for_ms) where scheduled_for_ms is not null`,
    sql`create index executions_fired
      on executions (endpoint_id, scheduled_for_ms) where scheduled_for_ms is not null and state <> 'missed'`,
    sql`create index executions_missed on executions (endpoint_id, scheduled_for_ms) where state = 'missed'`,
    sql`create unique index executions_steps on executions (run_id, step, attempt) where run_id is not null`,
    sql`create index executions_hosted_running
      on executions (workspace_id) where agent_name = 'hosted' and state = 'running'`,
    sql`create table output_chunks (
      execution_id ${text} not null, seq bigint not null, sse ${bytes} not null, endings ${text},
      constraint output_chunks_key primary key (execution_id, seq)
    ) ${clustered}`,
    sql`create table idempotency (
      endpoint_id ${text} not null, credential ${text} not null, "key" ${text} not null,
      execution_id ${text} not null, request_hash ${text} not null, expires_at_ms bigint not null,
      constraint idempotency_key primary key (endpoint_id, credential, "key")
    )`,
    sql`create index idempotency_by_expires_at_ms on idempotency (expires_at_ms)`,
    sql`create table hubs (
      id ${text} not null primary key, beat_at_ms bigint not null
    )`,
    sql`create table write_probe (
      id bigint not null, ballast ${bytes} not null,
      constraint write_probe_key primary key (id)
    )`,
    sql`create table agents (
      workspace_id ${text} not null, name ${text} not null, instance ${text} not null,
      version ${text} not null, hostname ${text} not null, os ${text} not null, arch ${text} not null,
      local_only bigint not null, hub_id ${text}, connected_at_ms bigint not null, seen_at_ms bigint not null,
      constraint agents_key primary key (workspace_id, name, instance),
      constraint agents_workspace foreign key (workspace_id) references workspaces (id)
    )`,
    sql`create index agents_by_hub_id on agents (hub_id)`,
    sql`create table alert_rules (
      id ${text} not null primary key, workspace_id ${text} not null, name ${text} not null,
      events ${text} not null, slug ${text}, agent_name ${text}, channel ${text} not null,
      sealed_target ${text} not null, shown_target ${text} not null, sealed_secret ${text},
      previous_secret ${text}, previous_until_ms bigint, enabled bigint not null, created_by ${text} not null,
      created_at_ms bigint not null, revision bigint not null
    )`,
    sql`create index alert_rules_by_workspace_id_id on alert_rules (workspace_id, id)`,
    sql`create table callback_secrets (
      workspace_id ${text} not null primary key, sealed_secret ${text} not null, previous_secret ${text},
      previous_until_ms bigint
    )`,
    sql`create table alert_events (
      id ${text} not null primary key, workspace_id ${text} not null, name ${text} not null,
      at_ms bigint not null, slug ${text}, agent_name ${text}, data ${text} not null, sealed_link ${text},
      callback_url ${text}
    )`,
    sql`create table alert_deliveries (
      id ${text} not null primary key, workspace_id ${text} not null, rule_id ${text}, lane ${text} not null,
      party ${text} not null, event_id ${text} not null, event_name ${text} not null,
      event_at_ms bigint not null, slug ${text}, agent_name ${text}, data ${text} not null,
      sealed_link ${text}, callback_url ${text}, state ${text} not null, tries bigint not null,
      created_at_ms bigint not null, tried_at_ms bigint, next_at_ms bigint, response_status bigint,
      error ${text}
    )`,
    sql`create index alert_deliveries_by_workspace_id_rule_id_event_id
      on alert_deliveries (workspace_id, rule_id, event_id)`,
    sql`create index alert_deliveries_by_created_at_ms on alert_deliveries (created_at_ms)`,
    sql`create index alert_deliveries_waiting on alert_deliveries (lane, event_id) where state = 'waiting'`,
    sql`create table alert_lanes (
      id ${text} not null primary key, party ${text} not null, waiting bigint not null, due_at_ms bigint
    )`,
    sql`create index alert_lanes_due on alert_lanes (due_at_ms) where due_at_ms is not null`,
    sql`create table agent_presences (
      workspace_id ${text} not null, agent_name ${text} not null, state ${text} not null,
      processes ${text} not null, since_ms bigint not null, revision bigint not null,
      constraint agent_presences_key primary key (workspace_id, agent_name)
    )`,
    sql`create index agent_presences_by_state_since_ms on agent_presences (state, since_ms)`,
    sql`create table approvals (
      id ${text} not null primary key, workspace_id ${text} not null, execution_id ${text} not null,
      slug ${text} not null, agent_name ${text} not null, requested_by ${text} not null, requester_id ${text},
      generation bigint not null, created_at_ms bigint not null, expires_at_ms bigint not null,
      state ${text} not null, reason ${text}, closed_at_ms bigint, closed_by_kind ${text},
      closed_by_id ${text}, closed_by_name ${text}, comment ${text},
      constraint approvals_execution unique (execution_id)
    )`,
    sql`create index approvals_by_workspace on approvals (workspace_id, id)`,
    sql`create index approvals_pending on approvals (expires_at_ms) where state = 'pending'`,
    sql`create table schedules (
      endpoint_id ${text} not null primary key, workspace_id ${text} not null, expression ${text} not null,
      state ${text} not null, registered_at_ms bigint not null, next_fire_at_ms bigint
    )`,
    sql`create index schedules_of_workspace on schedules (workspace_id, registered_at_ms, endpoint_id)`,
    sql`create index schedules_due on schedules (next_fire_at_ms, endpoint_id) where next_fire_at_ms is not null`,
    sql`create table pipelines (
      id ${text} not null primary key, workspace_id ${text} not null, slug ${text} not null,
      source ${text} not null, registered_by ${text}, version bigint not null, sealed_secret ${text},
      created_at_ms bigint not null, updated_at_ms bigint not null,
      constraint pipelines_slug unique (workspace_id, slug),
      constraint pipelines_workspace foreign key (workspace_id) references workspaces (id)
    )`,
    sql`create table pipeline_versions (
      pipeline_id ${text} not null, version bigint not null, workspace_id ${text} not null,
      source ${text} not null, definition ${text} not null, created_at_ms bigint not null,
      gone_since_ms bigint,
      constraint pipeline_versions_key primary key (pipeline_id, version)
    )`,
    sql`create index pipeline_versions_of_workspace on pipeline_versions (workspace_id, pipeline_id)`,
    sql`create table pipeline_runs (
      id ${text} not null primary key, workspace_id ${text} not null, pipeline_id ${text} not null,
      pipeline_version bigint not null, slug ${text} not null, "trigger" ${text} not null,
      caller_kind ${text} not null, caller_id ${text}, rerun_of ${text}, read_token_hash ${text},
      hub_id ${text} not null, created_at_ms bigint not null, cancel_asked_at_ms bigint,
      state ${text} not null, revision bigint not null, stopping ${text}, stopped_by ${text},
      open_nodes bigint not null, active_nodes bigint not null, waiting_nodes bigint not null,
      started_at_ms bigint, ended_at_ms bigint
    )`,
    sql`create index pipeline_runs_by_workspace on pipeline_runs (workspace_id, id)`,
    sql`create index pipeline_runs_by_slug on pipeline_runs (workspace_id, slug, id)`,
    sql`create index pipeline_runs_by_caller on pipeline_runs (workspace_id, caller_id, id)`,
    sql`create index pipeline_runs_by_state on pipeline_runs (workspace_id, state, id)`,
    sql`create index pipeline_runs_unfinished
      on pipeline_runs (hub_id, id) where state in ('queued', 'running', 'waiting_approval')`,
    sql`create index pipeline_runs_by_version on pipeline_runs (pipeline_id, pipeline_version)`,
    // Apart from the run, which is written with every change: an input may be a megabyte.
    sql`create table pipeline_run_inputs (
      run_id ${text} not null primary key, input ${text} not null, sealed_request ${text},
      sealed_input ${text}, sealed_secrets ${text}
    )`,
    sql`create table pipeline_nodes (
      run_id ${text} not null, node ${text} not null, revision bigint not null, state ${text} not null,
      attempt bigint not null, awaits bigint not null, record ${text} not null,
      constraint pipeline_nodes_key primary key (run_id, node)
    )`,
    sql`create index pipeline_nodes_by_revision on pipeline_nodes (run_id, revision)`,
    sql`create index pipeline_nodes_awaiting on pipeline_nodes (run_id) where awaits = 1`,
  ];
}
