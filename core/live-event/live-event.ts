import type { ApprovalState } from '../approval/approval.ts';
import type { AuditAction } from '../audit/actions.ts';
import type { AuditEntry, AuditTarget } from '../audit/entry.ts';
import type { ExecutionState, Reason } from '../execution/state.ts';
import type { Permission } from '../workspace/permissions.ts';

/** An execution was created, or its state changed. */
export interface ExecutionLiveEvent {
  readonly kind: 'execution';
  readonly executionId: string;
  readonly slug: string;
  readonly state: ExecutionState;
  readonly reason: Reason | undefined;
  /** Undefined if only the change itself is known. */
  readonly trigger: 'call' | 'dashboard' | 'schedule' | 'pipeline' | 'mcp' | undefined;
}

/** An event for dashboards. It says what changed, so that a dashboard knows what to read again. */
export type LiveEvent =
  | ExecutionLiveEvent
  /** So many executions changed that they are not reported one by one. */
  | { readonly kind: 'executions'; readonly count: number }
  | {
      readonly kind: 'approval';
      readonly approvalId: string;
      readonly executionId: string;
      readonly slug: string;
      readonly state: ApprovalState;
    }
  | { readonly kind: 'agent'; readonly agentName: string; readonly isConnected: boolean }
  | {
      readonly kind: 'pipeline_run';
      readonly runId: string;
      readonly slug: string;
      readonly state: string;
    }
  | {
      readonly kind: 'pipeline_node';
      readonly runId: string;
      readonly nodeId: string;
      readonly state: string;
      readonly executionId: string | undefined;
    }
  | { readonly kind: 'quota'; readonly percent: number; readonly used: number; readonly period: string }
  /** A change by a person or program, as the audit log has it. */
  | { readonly kind: 'change'; readonly action: AuditAction; readonly target: AuditTarget };

/** A dashboard receives only kinds that the role may list, because names alone reveal something. */
const CHANGE_PERMISSION: Readonly<Record<AuditTarget['kind'], Permission>> = {
  workspace: 'endpoint.view',
  member: 'endpoint.view',
  endpoint: 'endpoint.view',
  pipeline: 'pipeline.view',
  agent: 'endpoint.view',
  approval: 'endpoint.view',
  alert: 'endpoint.edit',
  secret: 'secret.manage',
  api_key: 'api_key.manage',
  service_account: 'service_account.manage',
  ai_client: 'api_key.manage',
  agent_token: 'agent.manage',
  invite: 'member.invite',
  account: 'audit.view',
  access_token: 'audit.view',
  device: 'audit.view',
  scim_token: 'audit.view',
  scim_user: 'audit.view',
  scim_group: 'audit.view',
};

/** The permission that is needed to receive the event. */
export function permissionFor(event: LiveEvent): Permission {
  if (event.kind === 'change') return CHANGE_PERMISSION[event.target.kind];
  return event.kind === 'pipeline_run' || event.kind === 'pipeline_node' ? 'pipeline.view' : 'endpoint.view';
}

/** The slug of the endpoint or pipeline that the event is about; undefined: of none, or of several. */
export function slugOf(event: LiveEvent): string | undefined {
  switch (event.kind) {
    case 'execution':
    case 'approval':
    case 'pipeline_run':
      return event.slug;
    case 'change':
      return ['endpoint', 'pipeline'].includes(event.target.kind) ? event.target.name : undefined;
    default:
      return undefined;
  }
}

/** The event for an entry of the audit log. */
export function changeEvent({ action, target }: AuditEntry): LiveEvent {
  return { kind: 'change', action, target };
}

/** Two events with the same key are about the same thing: the later one replaces the earlier one. */
export function liveEventKey(event: LiveEvent): string {
  switch (event.kind) {
    case 'execution':
      return `execution ${event.executionId}`;
    case 'approval':
      return `approval ${event.approvalId}`;
    case 'agent':
      return `agent ${event.agentName}`;
    case 'pipeline_run':
      return `run ${event.runId}`;
    case 'pipeline_node':
      return `node ${event.runId} ${event.nodeId}`;
    case 'quota':
      return `quota ${event.period} ${event.percent}`;
    case 'change':
      return `change ${event.action} ${event.target.id}`;
    case 'executions':
      return 'executions';
  }
}
