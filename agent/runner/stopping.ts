/** How long the runner waits for a command that does not end (decision 18, time-out and cancel). */
export interface StopGraces {
  /** From the termination signal to the kill. */
  readonly killGraceMs: number;
  /** From the exit of the command until its output is no longer read. */
  readonly drainAfterExitMs: number;
}

/** Why the runner counts a command as ended. */
export type EndCause = 'exited' | 'timed_out' | 'cancelled';
