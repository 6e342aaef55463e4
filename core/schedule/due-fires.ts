import type { CronFields } from './cron.ts';
import { countFires, fireTimes, nextFires } from './fire-times.ts';

/**
 * A fire that is not dispatched within this time is missed, because it would run at an unexpected time (decision 37,
 * schedules).
 */
export const FIRE_WAIT_MS = 60_000;
/** One or more consecutive missed fires, which share one record. */
export interface LostFires {
  readonly count: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** The decision about a due schedule; all times are epoch milliseconds. */
export interface DueFires {
  /** The fires that are too late to start. */
  readonly lost: LostFires | undefined;
  /** The fire that may still start. */
  readonly fireMs: number | undefined;
  /** The next fire; undefined: there is none. */
  readonly nextMs: number | undefined;
}

/**
 * Decides on the fires of a schedule from `dueMs`, the first unrecorded one, to now. Missed fires do not run later, but all
 * are recorded (decision 37, schedules).
 */
export function dueFires(cron: CronFields, dueMs: number, nowMs: number): DueFires {
  // Fires are at whole minutes, so at most one of them is recent enough to start.
  const lateMs = nowMs - FIRE_WAIT_MS;
  const [fireMs] = fireTimes(cron, Math.max(dueMs - 1, lateMs), nowMs, 1);
  const [nextMs] = nextFires(cron, nowMs, 1);
  return { lost: lostFires(cron, dueMs - 1, lateMs), fireMs, nextMs };
}

/** The fires in (afterMs, untilMs]. */
function lostFires(cron: CronFields, afterMs: number, untilMs: number): LostFires | undefined {
  const [firstMs] = fireTimes(cron, afterMs, untilMs, 1);
  const { count, lastMs } = countFires(cron, afterMs, untilMs);
  return firstMs === undefined || lastMs === undefined ? undefined : { count, firstMs, lastMs };
}
