/** The clock of the link. Tests use one that they move. */
export interface Timers {
  /** Monotonic time. */
  nowMs(): number;
  /** Calls `action` once after `ms`. The returned function cancels it. */
  after(ms: number, action: () => void): () => void;
}

export const TIMERS: Timers = {
  nowMs: () => performance.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
