const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * The waits after the first attempt, the second, …: eight attempts, the last one 24 hours after the first (decision 39,
 * alerts).
 */
const WAITS_MS = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS - (8 * HOUR_MS + 36 * MINUTE_MS + 10 * SECOND_MS),
] as const;
/** Each wait is randomly shortened by up to this share, so that failed attempts do not repeat all at once. */
const JITTER = 0.2;
/** The duration of the attempts themselves. */
const LIFE_MS = 24 * HOUR_MS + 10 * MINUTE_MS;

/**
 * The time of the next attempt; undefined if there is none.
 *
 * An alert that waited behind others gets one attempt, whatever its age, and no further one after 24 hours. So the queue
 * of an unreachable receiver does not grow.
 *
 * @param tries the number of attempts, this one included
 * @param random from 0 to 1
 */
export function nextTryMs(
  tries: number,
  { createdAtMs, nowMs, random }: { createdAtMs: number; nowMs: number; random: number },
): number | undefined {
  const waitMs = WAITS_MS[tries - 1];
  if (waitMs === undefined) return undefined;
  const atMs = nowMs + Math.round(waitMs * (1 - JITTER * random));
  return atMs - createdAtMs > LIFE_MS ? undefined : atMs;
}
