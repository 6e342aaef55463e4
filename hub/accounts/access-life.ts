import type { AccessToken } from './account-ports.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The longest life of a session, with or without use. */
export const SESSION_MS = 14 * DAY_MS;
/** The longest life of a session from a provider whose groups have roles. The next sign-in reads the groups again. */
export const GROUP_SESSION_MS = DAY_MS;
/** A session expires after this time without use; longer than a weekend. */
const SESSION_IDLE_MS = 3 * DAY_MS;
/** The time of last use is stored at most this often. */
const SEEN_MS = 60 * 1000;

/** Whether the credential has expired by time. */
export function isOver({ kind, createdAtMs, usedAtMs, expiresAtMs }: AccessToken, nowMs: number): boolean {
  if (expiresAtMs <= nowMs) return true;
  return kind === 'session' && (usedAtMs ?? createdAtMs) + SESSION_IDLE_MS <= nowMs;
}

/** Whether the time of last use is due to be stored. */
export function isToBeNoted({ usedAtMs }: AccessToken, nowMs: number): boolean {
  return usedAtMs === undefined || usedAtMs + SEEN_MS <= nowMs;
}
