import type { AlertEvent } from '@svc/core/alert/event';
import { missedFireAlert, timeText } from '@svc/core/alert/make-event';
import type { MissedReason } from '@svc/core/execution/state';
import type { LostFires } from '@svc/core/schedule/due-fires';
import { missedFire } from '@svc/core/schedule/fire-decision';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import { newExecution, QUEUED } from '../executions/new-execution.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { FireExecution, MissedFire } from './schedule-ports.ts';

type RecordDeps = {
  readonly random: Random;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly hubId: string;
};

/** A fire has no caller and no values: every required argument has a default (decision 37, schedules). */
const BY_THE_CLOCK = {
  trigger: 'schedule',
  callerKind: 'anonymous',
  callerId: undefined,
  values: new Map<string, string>(),
  asynchronous: true,
  readTokenHash: undefined,
} as const;

/** The record of a fire. */
export function fireExecution(
  deps: RecordDeps,
  target: RegisteredEndpoint,
  scheduledForMs: number,
  start = QUEUED,
): FireExecution {
  return { ...newExecution(deps, { target, ...BY_THE_CLOCK }, start), scheduledForMs };
}

/** The record of a fire that did not start. */
export function missedRecord(
  deps: RecordDeps,
  target: RegisteredEndpoint,
  { scheduledForMs, reason }: { readonly scheduledForMs: number; readonly reason: MissedReason },
): MissedFire {
  return {
    execution: fireExecution(deps, target, scheduledForMs),
    ended: missedFire(reason),
    fires: undefined,
  };
}

/** The one record of all fires that were lost while no hub could start them. */
export function lostRecord(
  deps: RecordDeps,
  target: RegisteredEndpoint,
  { count, firstMs, lastMs }: LostFires,
): MissedFire {
  const record = missedRecord(deps, target, { scheduledForMs: firstMs, reason: 'hub_down' });
  if (count === 1) return record;
  const error = `${count} fires from ${timeText(firstMs)} to ${timeText(lastMs)}: ${record.ended.error}`;
  return { ...record, ended: { ...record.ended, error }, fires: count };
}

/** The alerts about missed fires: one for all fires of a reason that are stored together (decision 39, alerts). */
export function missedAlerts(
  { random, clock }: { readonly random: Random; readonly clock: Clock },
  missed: readonly MissedFire[],
): AlertEvent[] {
  const byReason = Map.groupBy(missed, ({ ended }) => ended.reason);
  return [...byReason.values()].flatMap((fires) => {
    const [first] = fires;
    if (first === undefined) return [];
    const { workspaceId, slug, scheduledForMs } = first.execution;
    const count = fires.reduce((sum, one) => sum + (one.fires ?? 1), 0);
    const base = { id: random.uuid(), workspaceId, atMs: clock.nowMs() };
    const data = {
      endpoint: slug,
      scheduled_for: timeText(scheduledForMs),
      reason: first.ended.reason ?? '',
      count,
    };
    return [missedFireAlert(base, data)];
  });
}
