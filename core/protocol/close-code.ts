/** Why a connection was closed, as the code of its WebSocket close frame (RFC 6455, 7.4). */
export const CLOSE_CODES = {
  /** A normal end. */
  done: 1000,
  /** The hub or the agent is stopping. */
  going_away: 1001,
  /** The other side sent an invalid frame, or a frame at the wrong time. */
  bad_frame: 4400,
  /** The token is unknown, revoked or of another kind. */
  unauthorized: 4401,
  /** The token may not use this agent name. */
  name_refused: 4403,
  /** The other side was silent for too long. */
  silent: 4408,
  /** A newer connection of the same instance replaced this one. */
  displaced: 4409,
  /** The journal is older than the record of the hub, so the agent must become a new instance. */
  journal_old: 4410,
  /** The two sides have no common version. */
  version: 4426,
} as const;
export type CloseReason = keyof typeof CLOSE_CODES;

/** After these an agent does not reconnect: only a person can fix the cause. */
export const FINAL_CLOSE_REASONS = ['unauthorized', 'name_refused', 'displaced', 'version'] as const;
export type FinalCloseReason = (typeof FINAL_CLOSE_REASONS)[number];

/** The final reason of a close code; undefined if the agent may reconnect. */
export function finalCloseReason(code: number): FinalCloseReason | undefined {
  return FINAL_CLOSE_REASONS.find((reason) => CLOSE_CODES[reason] === code);
}
