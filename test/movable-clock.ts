import type { Clock } from '@svc/hub/engine/ports/world';

interface Timer {
  readonly atMs: number;
  readonly action: () => void;
  readonly real: NodeJS.Timeout | undefined;
}

/** What happens by itself in a test within this time is too short to be worth a decision about it. */
const REAL_MS = 2_000;

/**
 * A clock that stands still until it is moved. Short waits (gathering output, trying a store again) pass in real time, since
 * tests wait for what comes after them.
 */
export class MovableClock implements Clock {
  #nowMs = Date.UTC(2026, 10, 20, 12);
  readonly #timers = new Set<Timer>();
  readonly #listeners = new Set<() => void>();

  nowMs(): number {
    return this.#nowMs;
  }

  at(atMs: number, action: () => void): () => void {
    const waitMs = atMs - this.#nowMs;
    const run = () => {
      this.#timers.delete(timer);
      action();
    };
    const real = waitMs <= REAL_MS ? setTimeout(run, Math.max(0, waitMs)) : undefined;
    const timer: Timer = { atMs, action: run, real };
    this.#timers.add(timer);
    for (const hear of this.#listeners) hear();
    return () => {
      clearTimeout(real);
      this.#timers.delete(timer);
    };
  }

  /** Settles when something waits for so long from now. */
  async untilTimer(waitMs: number): Promise<void> {
    const isThere = () => [...this.#timers].some(({ atMs }) => atMs === this.#nowMs + waitMs);
    while (!isThere()) await new Promise<void>((resolve) => this.#listeners.add(resolve));
  }

  /** Everything that falls due on the way happens, in its order. */
  move(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      const [next] = due;
      if (next === undefined) break;
      clearTimeout(next.real);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.action();
    }
    this.#nowMs = untilMs;
  }
}
