import type { Clock } from '@svc/hub/platform/world';

interface Timer {
  readonly atMs: number;
  readonly action: () => unknown;
  readonly real: NodeJS.Timeout | undefined;
}

/** Timers up to this wait pass in real time; such short waits need no decision of a test. */
const REAL_MS = 2_000;

/** The interval of a hub's heartbeat, and of two other jobs: removals of workspaces, alerts. */
const HEARTBEAT_MS = 5_000;
const WITH_THE_HEARTBEAT = 3;

/**
 * A clock that stands still until it is moved. Short waits (gathering output, trying a store again) pass in real time, since
 * tests wait for what comes after them.
 */
export class MovableClock implements Clock {
  #nowMs: number;
  readonly #realMs: number;
  readonly #timers = new Set<Timer>();
  readonly #listeners = new Set<() => void>();
  /** Actions that have fallen due and have not ended. */
  readonly #underWay = new Set<Promise<unknown>>();
  #hasBeaten = false;
  #follower: MovableClock | undefined;

  /**
   * @param nowMs the first time; beside processes with a clock of their own it has to be the time of day
   * @param realMs waits of up to this long pass in real time
   */
  constructor(nowMs = Date.UTC(2026, 10, 20, 12), realMs = REAL_MS) {
    this.#nowMs = nowMs;
    this.#realMs = realMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  at(atMs: number, action: () => unknown): () => void {
    const waitMs = atMs - this.#nowMs;
    const run = () => {
      this.#timers.delete(timer);
      this.#follow(action());
    };
    const real = waitMs <= this.#realMs ? setTimeout(run, Math.max(0, waitMs)) : undefined;
    const timer: Timer = { atMs, action: run, real };
    this.#timers.add(timer);
    for (const receive of this.#listeners) receive();
    return () => {
      clearTimeout(real);
      this.#timers.delete(timer);
    };
  }

  /** The clock of a hub beside: its time passes too, after what fell due here, so that it finds what was done about that. */
  follower(): MovableClock {
    this.#follower ??= new MovableClock(this.#nowMs, this.#realMs);
    return this.#follower;
  }

  /** Whether a timer, or this many timers, fire after exactly this wait from now. */
  hasTimer(waitMs: number, count = 1): boolean {
    return [...this.#timers].filter(({ atMs }) => atMs === this.#nowMs + waitMs).length >= count;
  }

  /** Settles when that is so. */
  async untilTimer(waitMs: number, count = 1): Promise<void> {
    while (!this.hasTimer(waitMs, count)) await new Promise<void>((resolve) => this.#listeners.add(resolve));
  }

  /** Runs this many heartbeats of the hub of this clock, each to its end. */
  async heartbeat(count: number): Promise<void> {
    if (!this.#hasBeaten) await this.untilTimer(HEARTBEAT_MS, WITH_THE_HEARTBEAT);
    this.#hasBeaten = true;
    for (let heartbeat = 0; heartbeat < count; heartbeat += 1) {
      this.move(HEARTBEAT_MS);
      await this.settled();
    }
  }

  /** Settles when what has fallen due is at its end. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Everything that falls due on the way happens, in its order. */
  move(byMs: number): void {
    const untilMs = this.#nowMs + byMs;
    this.#fire(untilMs, (atMs) => {
      this.#nowMs = Math.max(this.#nowMs, atMs);
    });
    this.#nowMs = untilMs;
    this.#lead();
  }

  moveTo(atMs: number): void {
    if (atMs > this.#nowMs) this.move(atMs - this.#nowMs);
  }

  /** Like a process that is stopped for this long: everything that falls due meanwhile happens at the end. */
  standStill(forMs: number): void {
    this.#nowMs += forMs;
    this.#fire(this.#nowMs, () => {});
    this.#lead();
  }

  #lead(): void {
    const follower = this.#follower;
    if (follower !== undefined) void this.settled().then(() => follower.moveTo(this.#nowMs));
  }

  #follow(result: unknown): void {
    if (!(result instanceof Promise)) return;
    const ended = result.finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
  }

  #fire(untilMs: number, before: (atMs: number) => void): void {
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      const [next] = due;
      if (next === undefined) break;
      clearTimeout(next.real);
      before(next.atMs);
      next.action();
    }
  }
}
