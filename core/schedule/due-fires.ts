import type { CronFields } from './cron.ts';
import { countFires, fireTimes, nextFires } from './fire-times.ts';

/** A fire that was not given to an agent by then is missed: it would run at a time that nobody asked for (decision 37). */
export const FIRE_WAIT_MS = 60_000;
/** One or more fires that were lost one after the other: they have one record, however many they are. */
export interface LostFires {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** What is to be done about a schedule that is due; all times are epoch milliseconds. */
export interface DueFires {
  /** Too late to start. */
  readonly lost: LostFires | undefined;
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
  const [fireMs] = fireTimes(cron, Math.max(dueMs - 1, lateMs), nowMs, 1);
  const [nextMs] = nextFires(cron, nowMs, 1);
  return { lost: lostFires(cron, dueMs - 1, lateMs), fireMs, nextMs };
}

/** Those in (afterMs, untilMs]. */
function lostFires(cron: CronFields, afterMs: number, untilMs: number): LostFires | undefined {
  const [firstMs] = fireTimes(cron, afterMs, untilMs, 1);
  const { count, lastMs } = countFires(cron, afterMs, untilMs);
  return firstMs === undefined || lastMs === undefined ? undefined : { count, firstMs, lastMs };
}
