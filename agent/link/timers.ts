/** Time as the link needs it; tests bring a clock that they move. */
export interface Timers {
  /** Monotonic. */
  nowMs(): number;
  /** Calls `action` once, `ms` from now; the returned function withdraws it. */
  after(ms: number, action: () => void): () => void;
}

export const TIMERS: Timers = {
  nowMs: () => performance.now(),
  after(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};
