import type { AlertEvent } from '@svc/core/alert/event';
import type { RecordedValues } from '@svc/core/approval/shown-command';
import { parseCron } from '@svc/core/schedule/cron';
import { type DueFires, dueFires } from '@svc/core/schedule/due-fires';
import { decideFire } from '@svc/core/schedule/fire-decision';
import { nextFires } from '@svc/core/schedule/fire-times';
import type { Workspace } from '../accounts/account-ports.ts';
import type { AgentProcess } from '../agents/directory-ports.ts';
import { isHosted } from '../agents/host-address.ts';
import { type AlertEventDeps, pendingEvent } from '../approvals/approval-events.ts';
import { newApproval } from '../approvals/pending-call.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { RunningExecutions } from '../executions/live/running-executions.ts';
import { PENDING_APPROVAL, QUEUED, startOn } from '../executions/new-execution.ts';
import { quotaClaim } from '../executions/quota-claim.ts';
import { ITS_SCHEDULE } from '../executions/requester.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import { fireExecution, lostRecord, missedAlerts, missedRecord } from './fire-records.ts';
import type { DueSchedule, FireStart, Fires, MissedFire } from './schedule-ports.ts';

export type DecideFiresDeps = {
  readonly clock: Clock;
  readonly random: Random;
  readonly vault: Vault;
  readonly hubId: string;
} & AlertEventDeps & { readonly executions: Pick<RunningExecutions, 'countOf'> };

/** A schedule that is due, with everything that its fires depend on. */
export interface Due {
  readonly schedule: DueSchedule;
  readonly target: RegisteredEndpoint;
  readonly workspace: Workspace;
  /** The agent process that would run it, and was connected at the first attempt; undefined: none. */
  readonly process: AgentProcess | undefined;
  /** The hubs know whether an agent was connected for fires from this time on. */
  readonly agentsKnownSinceMs: number;
  readonly nowMs: number;
}

/** Decides on the due fires of a schedule: each is stored once, and at most one starts (decision 37, schedules). */
export function decideFires(deps: DecideFiresDeps, due: Due): Fires {
  const fires = firesOf(due.schedule, due.nowMs);
  const lost = lostRecords(deps, due.target, fires);
  if (fires.fireMs === undefined) return withAlerts(deps, { missed: lost, nextMs: fires.nextMs });
  const { endpoint } = due.target;
  const decision = decideFire({
    isConnected: due.process !== undefined,
    wasHubUp: fires.fireMs >= due.agentsKnownSinceMs,
    running: deps.executions.countOf(due.target.id),
    maxConcurrent: endpoint.maxConcurrent,
  });
  if (decision.kind === 'missed') {
    const missed = missedRecord(deps, due.target, {
      scheduledForMs: fires.fireMs,
      reason: decision.reason,
    });
    return withAlerts(deps, { missed: [...lost, missed], nextMs: fires.nextMs });
  }
  const start = startOf(deps, due, fires.fireMs);
  const decided = withAlerts(deps, { missed: lost, start, nextMs: fires.nextMs });
  return { ...decided, alerts: [...decided.alerts, ...pendingAlerts(deps, due.target, start)] };
}

/** The fire runs, or is pending approval (reference 3.1). A pending one uses its quota only when it is queued. */
function startOf(deps: DecideFiresDeps, due: Due, fireMs: number): FireStart {
  const { target, workspace } = due;
  if (target.endpoint.approvalRequired) {
    const execution = fireExecution(deps, target, fireMs, PENDING_APPROVAL);
    const approval = newApproval(deps, target, execution, ITS_SCHEDULE);
    return { execution, approval, quota: undefined };
  }
  const execution = fireExecution(deps, target, fireMs, isReady(due) ? startOn(due.process) : QUEUED);
  return { execution, approval: undefined, quota: quotaClaim(workspace, execution.createdAtMs) };
}

/** The fire can be stored as running, like a call, because its order needs no secrets and no host. */
function isReady(due: Due): due is Due & { readonly process: AgentProcess } {
  const { process, target } = due;
  return process !== undefined && !isHosted(target) && target.endpoint.program.secrets.length === 0;
}

/** The alert that asks for a decision, as for every pending call. */
function pendingAlerts(
  deps: DecideFiresDeps,
  { endpoint }: RegisteredEndpoint,
  { execution, approval }: FireStart,
): AlertEvent[] {
  if (approval === undefined) return [];
  const values = JSON.parse(execution.args) as RecordedValues;
  return [pendingEvent(deps, { approval, endpoint, values, callbackUrl: undefined })];
}

/** The stored fires when the monthly quota is used up. */
export function withoutQuota(deps: DecideFiresDeps, target: RegisteredEndpoint, fires: Fires): Fires {
  const scheduledForMs = fires.start?.execution.scheduledForMs;
  if (scheduledForMs === undefined) return fires;
  const missed = missedRecord(deps, target, { scheduledForMs, reason: 'quota' });
  return withAlerts(deps, { missed: [...fires.missed, missed], nextMs: fires.nextMs });
}

/** The stored fires when the minute is stored already: no approval is requested. */
export function withoutStart(deps: DecideFiresDeps, { missed, nextMs }: Fires): Fires {
  return withAlerts(deps, { missed, nextMs });
}

/** Advances the schedule without a record, because the plan does not allow the schedule. */
export function noFires({ expression }: DueSchedule, nowMs: number): Fires {
  const cron = parseCron(expression);
  const [nextMs] = cron.kind === 'cron' ? nextFires(cron.fields, nowMs, 1) : [];
  return { missed: [], start: undefined, alerts: [], nextMs };
}

function firesOf({ expression, nextFireAtMs }: DueSchedule, nowMs: number): DueFires {
  const cron = parseCron(expression);
  // Expressions are validated before they are stored. One that cannot be parsed never fires.
  if (cron.kind === 'problem') return { lost: undefined, fireMs: undefined, nextMs: undefined };
  return dueFires(cron.fields, nextFireAtMs, nowMs);
}

function lostRecords(deps: DecideFiresDeps, target: RegisteredEndpoint, { lost }: DueFires): MissedFire[] {
  return lost === undefined ? [] : [lostRecord(deps, target, lost)];
}

function withAlerts(
  deps: DecideFiresDeps,
  fires: Pick<Fires, 'missed' | 'nextMs'> & Partial<Pick<Fires, 'start'>>,
): Fires {
  return { start: undefined, ...fires, alerts: missedAlerts(deps, fires.missed) };
}
