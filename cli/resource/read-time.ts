import { InvalidArgumentError } from 'commander';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Reads a duration such as `90s`, `15m`, `12h`, `30d` or `2w`, in seconds. */
export function readDuration(text: string): number {
  const seconds = secondsIn(text);
  if (seconds === undefined) throw new InvalidArgumentError('expected a duration such as 15m, 12h or 30d.');
  return seconds;
}

/** Reads a time: a duration from now on, or RFC 3339. Returns RFC 3339. */
export function readTime(text: string): string {
  return timeIn(text, 1);
}

/** Reads a time in the past: a duration before now, or RFC 3339. Returns RFC 3339. */
export function readPastTime(text: string): string {
  return timeIn(text, -1);
}

function timeIn(text: string, direction: 1 | -1): string {
  const seconds = secondsIn(text);
  const atMs = seconds === undefined ? Date.parse(text) : Date.now() + direction * seconds * 1_000;
  if (Number.isFinite(atMs) && (seconds !== undefined || /^\d{4}-\d{2}-\d{2}/.test(text)))
    return new Date(atMs).toISOString();
  throw new InvalidArgumentError(
    'expected a duration such as 12h or 30d, or a time such as 2026-11-20T12:00:00Z.',
  );
}

function secondsIn(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const seconds = SECONDS[unit];
  return count === undefined || seconds === undefined ? undefined : Number(count) * seconds;
}
