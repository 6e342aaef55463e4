import type { AccessToken } from './account-ports.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** However much it is used. */
export const SESSION_MS = 14 * DAY_MS;
/** Not used for so long, a session is over: longer than a weekend. */
const SESSION_IDLE_MS = 3 * DAY_MS;
/** Not every request writes that its credential was seen. */
const SEEN_MS = 60 * 1000;

/** Whether time alone has ended it. */
export function isOver({ kind, createdAtMs, usedAtMs, expiresAtMs }: AccessToken, nowMs: number): boolean {
  if (expiresAtMs <= nowMs) return true;
  return kind === 'session' && (usedAtMs ?? createdAtMs) + SESSION_IDLE_MS <= nowMs;
}

/** Whether it is time to write down that it was seen. */
export function isToBeNoted({ usedAtMs }: AccessToken, nowMs: number): boolean {
  return usedAtMs === undefined || usedAtMs + SEEN_MS <= nowMs;
}
