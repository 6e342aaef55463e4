/** The time, as far as progress needs it: milliseconds from any beginning. */
interface ProgressClock {
  nowMs(): number;
  /** Calls `action` once at `atMs`. The returned function cancels it. */
  at(atMs: number, action: () => unknown): () => void;
}

/** The pause between two notifications. */
const PAUSE_MS = 250;
/** The interval of progress for a silent command, because some clients restart their timeout with each notification. */
const SILENCE_MS = 15_000;

/** Sends one notification. `progress` increases each time. */
export type SendProgress = (progress: number, message: string) => Promise<void>;

/** The part of a request in the protocol's library that sends progress. */
export interface ProgressRequest {
  readonly _meta?: { readonly progressToken?: string | number | undefined } | undefined;
  notify(notification: {
    method: 'notifications/progress';
    params: { progressToken: string | number; progress: number; message: string };
  }): Promise<void>;
}

/** The sender of progress for a request; undefined: its client wants none. */
export function progressOf(request: ProgressRequest): SendProgress | undefined {
  const progressToken = request._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress, message) =>
    request.notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
}

/** The progress of a running command: the number of printed lines, and the last line. */
export interface ProgressSource {
  readonly lines: number;
  readonly lastLine: string;
  /** What goes on without new lines; absent: `still running`. */
  readonly silent?: string;
}

/** Reports the progress of a command to an agent: at once, then at most four times per second, and after each silence. */
export class ProgressReports {
  readonly #clock: ProgressClock;
  readonly #send: SendProgress;
  readonly #source: ProgressSource;
  readonly #beganAtMs: number;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #progress = 0;
  #isChanged = false;
  #cancelTimer: () => void = () => undefined;
  #isOver = false;

  constructor(clock: ProgressClock, source: ProgressSource, send: SendProgress) {
    this.#clock = clock;
    this.#source = source;
    this.#send = send;
    this.#beganAtMs = clock.nowMs();
    this.#schedule(this.#beganAtMs + SILENCE_MS);
  }

  /** Adds output. */
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
    const { lines, lastLine, silent = 'still running' } = this.#source;
    const seconds = Math.round((nowMs - this.#beganAtMs) / 1000);
    const message = this.#isChanged && lastLine !== '' ? lastLine : `${silent} after ${seconds} s`;
    // It has to increase, even without new lines.
    this.#progress = lines > this.#progress ? lines : this.#progress + 0.001;
    this.#sentAtMs = nowMs;
    this.#isChanged = false;
    this.#schedule(nowMs + SILENCE_MS);
    // A notification that cannot be sent is ignored: the request itself notices that the client has left.
    this.#send(this.#progress, message).catch(() => this.end());
  }

  #schedule(atMs: number): void {
    this.#cancelTimer();
    if (!this.#isOver) this.#cancelTimer = this.#clock.at(atMs, () => this.#report(this.#clock.nowMs()));
  }
}
