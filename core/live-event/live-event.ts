import type { ApprovalState } from '../approval/approval.ts';
import type { AuditAction } from '../audit/actions.ts';
import type { AuditEntry, AuditTarget } from '../audit/entry.ts';
import type { ExecutionState, Reason } from '../execution/state.ts';
import type { Permission } from '../workspace/permissions.ts';

/** An execution came to be, or its state changed. */
export interface ExecutionLiveEvent {
  readonly kind: 'execution';
  readonly executionId: string;
  readonly slug: string;
  readonly state: ExecutionState;
  readonly reason: Reason | undefined;
  /** Undefined where only the change is known. */
  readonly trigger: 'call' | 'dashboard' | 'schedule' | 'pipeline' | undefined;
}

/** What a dashboard shows, and what has become of it. What it is told is enough to know what to read again. */
export type LiveEvent =
  | ExecutionLiveEvent
  /** So many executions that they are not told of one by one. */
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
  /** Somebody changed something, as the audit log has it. */
  | { readonly kind: 'change'; readonly action: AuditAction; readonly target: AuditTarget };

/** Of a change only what the role may list is told: names say something, too. */
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
  agent_token: 'agent.manage',
  invite: 'member.invite',
  account: 'audit.view',
  access_token: 'audit.view',
  device: 'audit.view',
};

/** Which permission lets somebody hear of it. */
export function permissionFor(news: LiveEvent): Permission {
  if (news.kind === 'change') return CHANGE_PERMISSION[news.target.kind];
  return news.kind === 'pipeline_run' || news.kind === 'pipeline_node' ? 'pipeline.view' : 'endpoint.view';
}

/** What dashboards hear of an entry of the audit log. */
export function changeEvent({ action, target }: AuditEntry): LiveEvent {
  return { kind: 'change', action, target };
}

/** Two with the same key are about the same thing: the later one says it all. */
export function liveEventKey(news: LiveEvent): string {
  switch (news.kind) {
    case 'execution':
      return `execution ${news.executionId}`;
    case 'approval':
      return `approval ${news.approvalId}`;
    case 'agent':
      return `agent ${news.agentName}`;
    case 'pipeline_run':
      return `run ${news.runId}`;
    case 'pipeline_node':
      return `node ${news.runId} ${news.nodeId}`;
    case 'quota':
      return `quota ${news.period} ${news.percent}`;
    case 'change':
      return `change ${news.action} ${news.target.id}`;
    case 'executions':
      return 'executions';
  }
}
