import type { Clock } from '../platform/world.ts';

/** Between two notifications. */
const PAUSE_MS = 250;
/** Clients that reset their timeout with progress hear of a silent command too. */
const SILENCE_MS = 15_000;

/** Sends one notification. `progress` rises with each. */
export type SendProgress = (progress: number, message: string) => Promise<void>;

/** What is told of a running command: how many lines it printed, and the last one. */
export interface ProgressSource {
  readonly lines: number;
  readonly lastLine: string;
}

/** Tells an agent how a command goes on: at once, then at most four times per second, and after each silence. */
export class ProgressReports {
  readonly #clock: Clock;
  readonly #send: SendProgress;
  readonly #source: ProgressSource;
  readonly #beganAtMs: number;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #progress = 0;
  #isChanged = false;
  #cancelTimer: () => void = () => undefined;
  #isOver = false;

  constructor(clock: Clock, source: ProgressSource, send: SendProgress) {
    this.#clock = clock;
    this.#source = source;
    this.#send = send;
    this.#beganAtMs = clock.nowMs();
    this.#schedule(this.#beganAtMs + SILENCE_MS);
  }

  /** There is more output. */
  changed(): void {
    if (this.#isOver) return;
    this.#isChanged = true;
    const nowMs = this.#clock.nowMs();
    if (nowMs >= this.#sentAtMs + PAUSE_MS) this.#report(nowMs);
    else this.#schedule(this.#sentAtMs + PAUSE_MS);
  }

  end(): void {
    this.#isOver = true;
    this.#cancelTimer();
  }

  #report(nowMs: number): void {
    const { lines, lastLine } = this.#source;
    const seconds = Math.round((nowMs - this.#beganAtMs) / 1000);
    const message = this.#isChanged && lastLine !== '' ? lastLine : `still running after ${seconds} s`;
    // It has to rise, also when no line was printed.
    this.#progress = lines > this.#progress ? lines : this.#progress + 0.001;
    this.#sentAtMs = nowMs;
    this.#isChanged = false;
    this.#schedule(nowMs + SILENCE_MS);
    // A client that has left is noticed by its request.
    this.#send(this.#progress, message).catch(() => this.end());
  }

  #schedule(atMs: number): void {
    this.#cancelTimer();
    if (!this.#isOver) this.#cancelTimer = this.#clock.at(atMs, () => this.#report(this.#clock.nowMs()));
  }
}
