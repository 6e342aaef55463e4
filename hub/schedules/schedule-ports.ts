import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval } from '@svc/core/approval/approval';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { Ended } from '@svc/core/execution/outcome';
import type { ExecutionState, Reason } from '@svc/core/execution/state';
import type { NewExecution, QuotaClaim } from '../executions/execution-ports.ts';

export interface ScheduleDeps {
  readonly schedules: Schedules;
}

/** The schedule of an endpoint. A change of the definition stores both (decision 37, schedules). */
export interface Schedule {
  readonly endpointId: string;
  readonly workspaceId: string;
  /** Five fields of cron, validated with the definition. */
  readonly expression: string;
  readonly state: 'active' | 'paused';
  /** When the endpoint got its schedule; a changed expression keeps this time. */
  readonly registeredAtMs: number;
  /** The next fire that is not stored; undefined: the schedule is paused, or never fires again. */
  readonly nextFireAtMs: number | undefined;
  /** The number of schedules of the workspace that were registered earlier, counted up to the largest limit of a plan. */
  readonly earlier: number;
}

export type DueSchedule = Schedule & { readonly nextFireAtMs: number };

/** The position after which the next page of due schedules begins. */
export type DuePlace = Pick<DueSchedule, 'nextFireAtMs' | 'endpointId'>;

/** The execution of a fire, whether it starts or not. */
export type FireExecution = NewExecution & { readonly scheduledForMs: number };

/** The final record of a fire that did not start, or of several consecutive lost fires. */
export interface MissedFire {
  readonly execution: FireExecution;
  readonly ended: Ended;
  /** The number of fires in the record; absent: one. */
  readonly fires: number | undefined;
}

/** The fire that starts: running or queued with its quota, or pending approval. */
export interface FireStart {
  readonly execution: FireExecution;
  readonly quota: QuotaClaim | undefined;
  readonly approval: Approval | undefined;
}

/** The due fires of one schedule, to be stored. */
export interface Fires {
  readonly missed: readonly MissedFire[];
  readonly start: FireStart | undefined;
  /** The alerts are stored with the fires, or nothing is (decision 39, alerts). */
  readonly alerts: readonly AlertEvent[];
  readonly nextMs: number | undefined;
}

/**
 * `overtaken`: another hub was first, or the schedule has changed. `fired_already`: this minute of the endpoint is stored,
 * for example because the clock was set back. `quota_exceeded`: the monthly quota is used up. In all three cases nothing is
 * stored.
 */
export type FiresStored = 'stored' | 'overtaken' | 'fired_already' | 'quota_exceeded';

/** The last stored fire of a schedule, started or missed. */
export interface LastFire {
  readonly executionId: string;
  readonly scheduledForMs: number;
  readonly state: ExecutionState;
  readonly reason: Reason | undefined;
  /** How many fires the record of a missed one stands for; undefined: one. */
  readonly missedFires?: number | undefined;
}

export interface Schedules {
  /** In the order of registration. */
  ofWorkspace(workspaceId: string): Promise<Schedule[]>;
  find(endpointId: string): Promise<Schedule | undefined>;
  /** The schedules with an unrecorded fire up to `nowMs`, the longest due first. */
  due(nowMs: number, after: DuePlace | undefined, limit: number): Promise<DueSchedule[]>;
  /** Stores fires and advances the schedule in one transaction, by compare-and-set on expression and next fire. */
  record(schedule: DueSchedule, fires: Fires): Promise<FiresStored>;
  /** Corrects a row that differs from its definition; undefined: the definition has no schedule. */
  correct(schedule: DueSchedule, expression: string | undefined, nowMs: number): Promise<void>;
  /** Stores the pause with its audit entry; false when the schedule is paused already, or deleted. */
  pause(endpointId: string, entry: AuditEntry): Promise<boolean>;
  /** Resumes from the next fire (reference 3.3); false when the schedule was not paused, or was changed meanwhile. */
  resume(schedule: Schedule, nextMs: number | undefined, entry: AuditEntry): Promise<boolean>;
  /** By endpoint. */
  lastFires(
    endpointIds: readonly string[],
  ): Promise<{ fired: ReadonlyMap<string, LastFire>; missed: ReadonlyMap<string, LastFire> }>;
}
