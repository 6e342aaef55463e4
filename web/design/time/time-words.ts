import { zoneName } from './zone-name.ts';

const SEC_MS = 1_000;
const MIN_MS = 60 * SEC_MS;
const HOUR_MS = 60 * MIN_MS;
const DAY_MS = 24 * HOUR_MS;

/** A time relative to now: "12 s ago", "in 5 min", "3 days ago"; beyond a month the local date. */
export function relativeTime(atMs: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - atMs);
  if (distanceMs < 5 * SEC_MS) return 'now';
  if (distanceMs >= 30 * DAY_MS) return localDay(new Date(atMs));
  // Future times are rounded: an invitation for seven days does not end "in 6 days" a second later.
  if (atMs > nowMs) return `in ${roughSpan(distanceMs + unitMs(distanceMs) / 2)}`;
  return `${roughSpan(distanceMs)} ago`;
}

function unitMs(ms: number): number {
  return ms < MIN_MS ? SEC_MS : ms < HOUR_MS ? MIN_MS : ms < DAY_MS ? HOUR_MS : DAY_MS;
}

/** A span in its largest unit: "5 min", "3 days". */
export function roughSpan(ms: number): string {
  if (ms < MIN_MS) return `${Math.floor(ms / SEC_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MIN_MS)} min`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  const days = Math.floor(ms / DAY_MS);
  return days === 1 ? '1 day' : `${days} days`;
}

/** A span from a setting, exact to the second: "90 s" is "1 min 30 s", and an hour is "1 h". */
export function setSpan(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  const minutes = Math.floor((ms % HOUR_MS) / MIN_MS);
  const seconds = Math.floor((ms % MIN_MS) / SEC_MS);
  const parts = [hours > 0 && `${hours} h`, minutes > 0 && `${minutes} min`, seconds > 0 && `${seconds} s`];
  return parts.filter((part) => part !== false).join(' ') || '0 s';
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

/** "2026-11-20 13:00:00 CET", in the time zone of the browser. */
export function localTime(atMs: number): string {
  const date = new Date(atMs);
  return `${localDay(date)} ${localClock(atMs)} ${zoneOf(date)}`;
}

function localDay(date: Date): string {
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
}

/** "13:00:00", in the time zone of the browser. */
export function localClock(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** "CET", or the offset of a zone without a name: "GMT-3:30", "UTC". */
function zoneOf(date: Date): string {
  const aheadMin = -date.getTimezoneOffset();
  if (aheadMin === 0) return 'UTC';
  const name = zoneName(date.getTime());
  if (name !== undefined) return name;
  const [hours, minutes] = [Math.floor(Math.abs(aheadMin) / 60), Math.abs(aheadMin) % 60];
  return `GMT${aheadMin < 0 ? '-' : '+'}${hours}${minutes === 0 ? '' : `:${twoDigits(minutes)}`}`;
}

/** Both forms of a time, for hovering: local first. One line where the browser is in UTC. */
export function exactTimes(atMs: number): string {
  const [local, utc] = [localTime(atMs), exactTime(atMs)];
  return local === utc ? utc : `${local}\n${utc}`;
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
