import type { CronFields } from './cron.ts';
import { countFires, fireTimes, nextFires } from './fire-times.ts';

/** A fire that was not given to an agent by then is missed: it would run at a time that nobody asked for (decision 37). */
export const FIRE_WAIT_MS = 60_000;
/** So many lost fires have a record each; one more counts the rest. */
export const MOST_MISSED_RECORDS = 1_000;

/** Several fires that were lost one after the other: the first and the last of them. */
export interface LostFires {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** What is to be done about a schedule that is due; all times are epoch milliseconds. */
export interface DueFires {
  /** Too late to start, the earliest first. */
  readonly missed: readonly number[];
  /** Those that were too many for a record each. */
  readonly rest: LostFires | undefined;
  /** The one that may start still. */
  readonly fireMs: number | undefined;
  /** Undefined: never again. */
  readonly nextMs: number | undefined;
}

/**
 * What has become of a schedule's fires from `dueMs`, the first that is not on record, to now: no catch-up, but nothing goes
 * unrecorded (decision 37).
 */
export function dueFires(cron: CronFields, dueMs: number, nowMs: number): DueFires {
  // Fires are whole minutes: at most one of them is not too late.
  const lateMs = nowMs - FIRE_WAIT_MS;
  const missed = fireTimes(cron, dueMs - 1, lateMs, MOST_MISSED_RECORDS);
  const [fireMs] = fireTimes(cron, Math.max(dueMs - 1, lateMs), nowMs, 1);
  const [nextMs] = nextFires(cron, nowMs, 1);
  return { missed, rest: restOf(cron, missed, lateMs), fireMs, nextMs };
}

function restOf(cron: CronFields, missed: readonly number[], untilMs: number): LostFires | undefined {
  const last = missed.at(-1);
  if (last === undefined || missed.length < MOST_MISSED_RECORDS) return undefined;
  const { count, lastMs } = countFires(cron, last, untilMs);
  const [firstMs] = fireTimes(cron, last, untilMs, 1);
  return firstMs === undefined || lastMs === undefined ? undefined : { count, firstMs, lastMs };
}
