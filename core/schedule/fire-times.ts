import type { CronFields } from './cron.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * The Gregorian calendar, with its weekdays, repeats every 400 years: an expression without a fire in that time never
 * fires.
 */
const CALENDAR_CYCLE_MS = 146_097 * DAY_MS;

/**
 * The fire times in (afterMs, untilMs], UTC, both epoch milliseconds; at most `limit`, earliest first.
 *
 * The lower end is open, so a caller can pass the last fire time as `afterMs` and does not get it twice (decision 37,
 * schedules).
 */
export function fireTimes(
  cron: CronFields,
  afterMs: number,
  untilMs: number,
  limit = Number.POSITIVE_INFINITY,
): number[] {
  const times: number[] = [];
  if (limit < 1) return times;
  for (const timeMs of firesIn(cron, afterMs, untilMs)) {
    times.push(timeMs);
    if (times.length >= limit) break;
  }
  return times;
}

/** The next `count` fire times after `afterMs`, UTC epoch milliseconds. */
export function nextFires(cron: CronFields, afterMs: number, count: number): number[] {
  return fireTimes(cron, afterMs, Number.POSITIVE_INFINITY, count);
}

/** The number of fire times in (afterMs, untilMs], and the last of them. Whole days are counted, not enumerated. */
export function countFires(
  cron: CronFields,
  afterMs: number,
  untilMs: number,
): { readonly count: number; readonly lastMs: number | undefined } {
  const perDay = cron.hours.length * cron.minutes.length;
  let count = 0;
  let lastMs: number | undefined;
  for (const dayMs of fireDays(cron, afterMs, untilMs)) {
    if (dayMs > afterMs && dayMs + DAY_MS <= untilMs) {
      count += perDay;
      lastMs = dayMs + (cron.hours.at(-1) ?? 0) * HOUR_MS + (cron.minutes.at(-1) ?? 0) * MINUTE_MS;
      continue;
    }
    const times = fireTimes(
      cron,
      Math.max(afterMs, dayMs - 1),
      Math.min(untilMs, dayMs + DAY_MS - MINUTE_MS),
    );
    count += times.length;
    lastMs = times.at(-1) ?? lastMs;
  }
  return { count, lastMs };
}

function* firesIn(cron: CronFields, afterMs: number, untilMs: number): Generator<number> {
  for (const dayMs of fireDays(cron, afterMs, untilMs)) {
    for (const hour of cron.hours) {
      const hourMs = dayMs + hour * HOUR_MS;
      if (hourMs + HOUR_MS <= afterMs) continue;
      for (const minute of cron.minutes) {
        const timeMs = hourMs + minute * MINUTE_MS;
        if (timeMs > untilMs) return;
        if (timeMs > afterMs) yield timeMs;
      }
    }
  }
}

/** The days on which the expression fires, as midnights in UTC. Months that do not match are skipped as a whole. */
function* fireDays(cron: CronFields, afterMs: number, untilMs: number): Generator<number> {
  let sinceMs = afterMs;
  let dayMs = Math.floor(afterMs / DAY_MS) * DAY_MS;
  while (dayMs <= untilMs && dayMs - sinceMs <= CALENDAR_CYCLE_MS) {
    const date = new Date(dayMs);
    if (!cron.months.includes(date.getUTCMonth() + 1)) {
      dayMs = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      continue;
    }
    if (isFireDay(cron, date)) {
      yield dayMs;
      sinceMs = dayMs;
    }
    dayMs += DAY_MS;
  }
}

function isFireDay(cron: CronFields, date: Date): boolean {
  const inMonth = cron.daysOfMonth.includes(date.getUTCDate());
  const inWeek = cron.daysOfWeek.includes(date.getUTCDay());
  return cron.dayRule === 'either' ? inMonth || inWeek : inMonth && inWeek;
}
