import type { AlertEvent } from '@svc/core/alert/event';
import type { Approval } from '@svc/core/approval/approval';
import type { AuditEntry } from '@svc/core/audit/entry';
import type { Ended } from '@svc/core/execution/outcome';
import type { ExecutionState, Reason } from '@svc/core/execution/state';
import type { NewExecution, QuotaClaim } from '../executions/execution-ports.ts';

/** What use cases about schedules take besides `Ports`. */
export interface SchedulePorts {
  readonly schedules: Schedules;
}

/** An endpoint that runs by itself. The row follows its definition: each change of one stores both (decision 37). */
export interface Schedule {
  readonly endpointId: string;
  readonly workspaceId: string;
  /** Five fields of cron; checked when the definition was. */
  readonly expression: string;
  readonly state: 'active' | 'paused';
  /** When the endpoint got a schedule; a changed expression leaves it. */
  readonly registeredAtMs: number;
  /** The first fire that is not on record; undefined: it is paused, or never fires again. */
  readonly nextFireAtMs: number | undefined;
  /** How many of the workspace were registered before it, counted no further than the largest cap of a plan. */
  readonly earlier: number;
}

export type DueSchedule = Schedule & { readonly nextFireAtMs: number };

/** Where a walk through what is due goes on. */
export type DuePlace = Pick<DueSchedule, 'nextFireAtMs' | 'endpointId'>;

/** The execution that a fire is, whether it starts or not. */
export type FireExecution = NewExecution & { readonly scheduledForMs: number };

/** One fire that did not start, or several lost ones in a row: a record that is at its end. */
export interface MissedFire {
  readonly execution: FireExecution;
  readonly ended: Ended;
  /** How many fires it stands for, where it is not one. */
  readonly fires: number | undefined;
}

/** The fire that starts: queued, with its quota; or one that waits for a person. */
export interface FireStart {
  readonly execution: FireExecution;
  readonly quota: QuotaClaim | undefined;
  readonly approval: Approval | undefined;
}

/** What becomes of the fires of one schedule that are due. */
export interface Fires {
  readonly missed: readonly MissedFire[];
  readonly start: FireStart | undefined;
  /** What people hear of it: stored with it, or neither is (decision 39). */
  readonly alerts: readonly AlertEvent[];
  readonly nextMs: number | undefined;
}

/**
 * `overtaken`: another hub was faster, or the schedule was changed. `fired_already`: this minute of the endpoint is on record,
 * as when the clock was set back. `quota_exceeded`: the month is used up. Then nothing is stored.
 */
export type FiresStored = 'stored' | 'overtaken' | 'fired_already' | 'quota_exceeded';

/** The last fire of a schedule that is on record, of either kind. */
export interface LastFire {
  readonly executionId: string;
  readonly scheduledForMs: number;
  readonly state: ExecutionState;
  readonly reason: Reason | undefined;
}

export interface Schedules {
  /** In the order in which they were registered. */
  ofWorkspace(workspaceId: string): Promise<Schedule[]>;
  find(endpointId: string): Promise<Schedule | undefined>;
  /** Those with a fire up to `nowMs` that is not on record, the longest due first. */
  due(nowMs: number, after: DuePlace | undefined, limit: number): Promise<DueSchedule[]>;
  /** Puts fires on record and moves the schedule on, in one unit; compare-and-set on expression and next fire. */
  record(schedule: DueSchedule, fires: Fires): Promise<FiresStored>;
  /** Makes a row that no definition speaks for any more follow the one that holds; undefined: none does. */
  correct(schedule: DueSchedule, expression: string | undefined, nowMs: number): Promise<void>;
  /** With its entry; false when it was paused already, or is gone. */
  pause(endpointId: string, entry: AuditEntry): Promise<boolean>;
  /** From its next fire on (reference 3.3); false when it was not paused, or was changed meanwhile. */
  resume(schedule: Schedule, nextMs: number | undefined, entry: AuditEntry): Promise<boolean>;
  /** By endpoint. */
  lastFires(
    endpointIds: readonly string[],
  ): Promise<{ fired: ReadonlyMap<string, LastFire>; missed: ReadonlyMap<string, LastFire> }>;
}
