const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long is waited after the first try, the second, …: eight tries, the last one 24 hours after the first (decision 39). */
const WAITS_MS = [
  10 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS - (8 * HOUR_MS + 36 * MINUTE_MS + 10 * SECOND_MS),
] as const;
/** Each wait is shorter by up to this share, so that not all who failed at once come back at once. */
const JITTER = 0.2;
/** The tries themselves take time, too. */
const LIFE_MS = 24 * HOUR_MS + 10 * MINUTE_MS;

/**
 * When it is tried again; undefined: it is given up.
 *
 * One that had to wait behind others is tried once, however old it is, and after 24 hours no more: a receiver that is away
 * for long is not sent more and more.
 *
 * @param tries how often it was tried, this time included
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
