const SEC_MS = 1_000;
const MIN_MS = 60 * SEC_MS;
const HOUR_MS = 60 * MIN_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time relative to now: "12 s ago", "in 5 min", "3 days ago"; beyond a month the date in UTC. */
export function relativeTime(atMs: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - atMs);
  if (distanceMs < 5 * SEC_MS) return 'now';
  if (distanceMs >= 30 * DAY_MS) return exactTime(atMs).slice(0, 10);
  const span = roughSpan(distanceMs);
  return atMs > nowMs ? `in ${span}` : `${span} ago`;
}

/** A span in its largest unit: "5 min", "3 days". */
export function roughSpan(ms: number): string {
  if (ms < MIN_MS) return `${Math.floor(ms / SEC_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MIN_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  const days = Math.floor(ms / DAY_MS);
  return days === 1 ? '1 day' : `${days} days`;
}

/** A span in at most two units: "840 ms", "3.2 s", "2 min 05 s", "1 h 20 min". */
export function duration(ms: number): string {
  if (ms < SEC_MS) return `${Math.round(ms)} ms`;
  if (ms < 10 * SEC_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MIN_MS) return `${Math.floor(ms / SEC_MS)} s`;
  if (ms < HOUR_MS)
    return `${Math.floor(ms / MIN_MS)} min ${twoDigits(Math.floor((ms % MIN_MS) / SEC_MS))} s`;
  if (ms < DAY_MS)
    return `${Math.floor(ms / HOUR_MS)} h ${twoDigits(Math.floor((ms % HOUR_MS) / MIN_MS))} min`;
  return `${Math.floor(ms / DAY_MS)} d ${Math.floor((ms % DAY_MS) / HOUR_MS)} h`;
}

/** "2026-11-20 12:00:00 UTC". */
export function exactTime(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** How often a relative time needs an update: every second at first, less often later. */
export function updateIntervalMs(atMs: number, nowMs: number): number {
  const distanceMs = Math.abs(nowMs - atMs);
  if (distanceMs < 2 * MIN_MS) return SEC_MS;
  return distanceMs < 2 * HOUR_MS ? 30 * SEC_MS : 10 * MIN_MS;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
