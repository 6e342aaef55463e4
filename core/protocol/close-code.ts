/** Why a connection was closed, as the code of its WebSocket close frame (RFC 6455, 7.4). */
export const CLOSE_CODES = {
  /** All that had to be said was said. */
  done: 1000,
  /** The hub stops, or the agent does. */
  going_away: 1001,
  /** The other side sent what is no frame, or not at its time. */
  bad_frame: 4400,
  /** The token is unknown, revoked or of another kind. */
  unauthorized: 4401,
  /** The token may not use this agent name. */
  name_refused: 4403,
  /** The other side answered nothing for too long. */
  silent: 4408,
  /** A newer connection of the same instance has taken its place. */
  displaced: 4409,
  /** The journal is older than the record of the hub: the agent begins as a new instance. */
  journal_old: 4410,
  /** The two sides have no version in common. */
  version: 4426,
} as const;
export type CloseReason = keyof typeof CLOSE_CODES;

/** After these an agent does not try again by itself: only a person can change what is wrong. */
export const FINAL_CLOSE_REASONS = ['unauthorized', 'name_refused', 'displaced', 'version'] as const;
export type FinalCloseReason = (typeof FINAL_CLOSE_REASONS)[number];

/** Which of the final reasons a close code stands for; undefined when the agent may connect again. */
export function finalCloseReason(code: number): FinalCloseReason | undefined {
  return FINAL_CLOSE_REASONS.find((reason) => CLOSE_CODES[reason] === code);
}
