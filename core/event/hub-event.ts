import type { Approval, ApprovalState } from '../approval/approval.ts';
import type { AuditEntry } from '../audit/entry.ts';
import type { Forgotten } from '../bus/frame.ts';
import type { Ended } from '../execution/outcome.ts';
import type { ExecutionState, Reason } from '../execution/state.ts';
import type { NodeRecord, RunHead } from '../pipeline/run/state.ts';

/** The facts of an execution that never change and hold no values of its caller. */
export interface EventExecution {
  readonly id: string;
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly slug: string;
  readonly trigger: 'call' | 'dashboard' | 'schedule' | 'pipeline' | 'mcp' | 'choices';
  readonly agentName: string | undefined;
  /** The files, or the body, that waited with it for approval. */
  readonly files?: readonly unknown[] | undefined;
  readonly step?: { readonly runId: string; readonly id: string; readonly attempt: number } | undefined;
}

/** An execution with the state in which it was stored first. */
export interface NewExecutionFacts extends EventExecution {
  readonly state: ExecutionState;
  readonly reason: Reason | undefined;
}

export interface EventRun {
  readonly id: string;
  readonly workspaceId: string;
  readonly slug: string;
}

export type NewStepFacts = NewExecutionFacts & { readonly step: NonNullable<EventExecution['step']> };
export type NewFireFacts = NewExecutionFacts & { readonly scheduledForMs: number };

/** Something that happened and is on record. It is published after its commit (ARCHITECTURE.md, "Events"). */
export type HubEvent =
  /** A call was stored. Steps and fires are stored with their run or schedule: `run_changed`, `schedule_fired`. */
  | { readonly kind: 'execution_accepted'; readonly execution: NewExecutionFacts }
  /** A waiting execution was stored as running. */
  | { readonly kind: 'execution_begun'; readonly executionId: string }
  /** This hub gives the execution to its agent, or takes it over from another process. */
  | { readonly kind: 'execution_started'; readonly execution: EventExecution }
  /** The end and the last output were stored; `execution_ended` follows. */
  | { readonly kind: 'execution_finished'; readonly executionId: string }
  /** An execution that this hub ran has ended. */
  | { readonly kind: 'execution_ended'; readonly execution: EventExecution; readonly ended: Ended }
  /** A queued execution ended without an agent. */
  | {
      readonly kind: 'execution_withdrawn';
      readonly executionId: string;
      readonly workspaceId: string | undefined;
    }
  /** The retention or the deletion of their workspace removed the records. */
  | { readonly kind: 'executions_removed'; readonly executionIds: readonly string[] }
  | { readonly kind: 'approval_opened'; readonly approval: Approval }
  /** `state` and `reason` are those of its execution. */
  | {
      readonly kind: 'approval_closed';
      readonly approval: Approval;
      readonly approvalState: ApprovalState;
      readonly state: ExecutionState;
      readonly reason: Reason | undefined;
    }
  | {
      readonly kind: 'schedule_fired';
      readonly workspaceId: string;
      readonly missed: readonly NewExecutionFacts[];
      readonly start: NewFireFacts | undefined;
    }
  | { readonly kind: 'run_started'; readonly run: EventRun; readonly head: RunHead }
  | {
      readonly kind: 'run_changed';
      readonly run: EventRun;
      readonly head: RunHead;
      readonly nodes: readonly NodeRecord[];
      readonly steps: readonly NewStepFacts[];
    }
  | {
      readonly kind: 'agent_connected' | 'agent_gone';
      readonly workspaceId: string;
      readonly agentName: string;
    }
  | {
      readonly kind: 'quota_crossed';
      readonly workspaceId: string;
      readonly percent: number;
      readonly used: number;
      readonly period: string;
    }
  /** The host joined or left the hosted runner here. */
  | { readonly kind: 'host_connected' | 'host_gone'; readonly instance: string }
  /** Other hubs have stored new states of these executions or runs. */
  | { readonly kind: 'changed_elsewhere'; readonly ids: readonly string[] }
  /** A person asks for the end of an execution or run that another hub may have. */
  | { readonly kind: 'execution_cancel_requested'; readonly executionId: string }
  | { readonly kind: 'run_cancel_requested'; readonly runId: string }
  /**
   * A change of data that calls cache. Unlike all other events it is published also after a refused or failed commit,
   * because the write may be stored and only its answer lost.
   */
  | { readonly kind: 'lookups_stale'; readonly what: readonly Forgotten[] }
  /** An alert waits in the outbox: it was stored in the transaction that causes it (decision 39, alerts). */
  | { readonly kind: 'alert_stored' }
  | { readonly kind: 'audit_appended'; readonly entry: AuditEntry }
  /** The store committed a group of writes. */
  | { readonly kind: 'group_committed'; readonly writes: number; readonly durationMs: number };

export type HubEventKind = HubEvent['kind'];
export type HubEventOf<Kind extends HubEventKind> = Extract<HubEvent, { readonly kind: Kind }>;
